"""The best state and the score that ends a search: switches of single-player searches."""

import pytest

import treewright as tw


class Digits(tw.Domain):
    """Three digits; the reward is what they spell, over 1000."""

    players, max_actions, max_length = 1, 10, 3
    state = tw.record(number="i4", length="i4")

    def start(s):
        pass

    def legal(s, out):
        for i in range(10):
            out[i] = i
        return 10

    def play(s, action):
        s.number = 10 * s.number + action
        s.length += 1

    def ended(s):
        return s.length == 3

    def rewards(s, out):
        out[0] = s.number / 1000


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_the_best_state_is_where_the_best_sequence_ends(engine):
    search = tw.Search(Digits(), tw.Options(keep_state=True), seed=3, engine=engine)
    search.run(simulations=50)
    score, sequence = search.best
    assert search.best_state.number == int("".join(map(str, sequence)))
    assert score == search.best_state.number / 1000


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_search_ends_with_the_first_simulation_above_the_goal(engine):
    search = tw.Search(Digits(), tw.Options(keep_state=True), seed=3, engine=engine)
    made = search.run_phases(1, simulations=5000, goal=0.9, commit=False)
    assert made.stopped == "score"
    assert search.best[0] > 0.9
    before = tw.Search(Digits(), tw.Options(keep_state=True), seed=3, engine=engine)
    less = before.run_phases(1, simulations=made.simulations - 1, commit=False)
    assert less.simulations == made.simulations - 1
    assert before.best[0] <= 0.9
    again = before.run_phases(1, simulations=7, commit=False)
    assert again.stopped == "simulations"  # without a goal nothing ends early


def test_a_new_beginning_forgets_the_best():
    search = tw.Search(Digits(), tw.Options(keep_state=True), seed=3)
    search.run(200)
    state = search.domain.new_state()
    state.number, state.length = 0, 1
    search.begin(state)
    search.run(300)
    assert search.best[0] < 0.1
    assert search.best_state.length == 3


def test_a_new_beginning_can_ask_for_something_better():
    """What scores no more than ``above`` is no best sequence."""
    search = tw.Search(Digits(), seed=3, engine="python")
    search.begin(search.domain.new_state(), above=0.999)  # the best there is
    search.run(20)
    assert search.best == (0.999, [])
    search.begin(search.domain.new_state(), above=0.5)
    search.run(200)
    assert search.best[0] > 0.5
    assert len(search.best[1]) == 3
