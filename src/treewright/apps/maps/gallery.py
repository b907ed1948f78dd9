"""Maps of both styles between checkpoints, and a dungeon."""

from dataclasses import replace

from treewright.apps.maps.draw import png
from treewright.apps.maps.dungeon_result import make_dungeon
from treewright.apps.maps.methods import MapResult, generate
from treewright.apps.maps.scene import paint_map
from treewright.apps.maps.spec import FAR, NEAR, STYLES, Cell, load_spec
from treewright.apps.maps.ways import distances, way
from treewright.workshop.gallery.piece import Picture, Piece, opened

EVALUATIONS = 60_000


def piece(seed: int) -> Piece:
    spec = load_spec("mcguinness")
    made = {
        style: generate(replace(spec, style=style), evaluations=EVALUATIONS, seed=seed)
        for style in STYLES
    }
    ways = {style: _shortest_far_way(found) for style, found in made.items()}
    rooms, corridors = (
        f"fitness {made[style].fitness:.1f}, {len(ways[style]) - 1} steps" for style in STYLES
    )
    command = (
        f"treewright map generate mcguinness --evaluations {EVALUATIONS} --seed {seed} --style"
    )
    return Piece(
        "A map",
        f"{command} rooms --out left.png && {command} corridors --out right.png --out right.tmx",
        f"Banners of one colour should be near each other, and red ones far from blue ones. "
        f"On the left a map of rooms ({rooms} from red to blue at the least, drawn in yellow "
        f"here), on the right one of corridors ({corridors}). The style is drawn into the rock "
        f"first; a local search of {EVALUATIONS:,} evaluations decides where rooms and corridors "
        f"meet.",
        [
            Picture(png(paint_map(found.walls, spec, ways[style])), f"A map of {style}")
            for style, found in made.items()
        ],
        page=opened(
            "maps",
            width=spec.width,
            height=spec.height,
            checkpoints=[list(c) for c in spec.checkpoints],
            requirements=[[i, j, "near" if kind == NEAR else "far"] for i, j, kind in spec.pairs],
            style=STYLES[0],
            evaluations=EVALUATIONS,
            seed=seed,
        ),
    )


def dungeon_piece(seed: int) -> Piece:
    made = make_dungeon(seed=seed)
    return Piece(
        "A dungeon",
        f"treewright map dungeon --seed {seed} --out dungeon.png --out dungeon.tmx",
        "Five passes of a search, each inside what the one before has made: rooms and the halls "
        "between them, then locked doors and their keys, monsters, treasure and traps. Stairs "
        "lead in and down; each key can be reached before its door. The second file opens in the "
        "Tiled editor.",
        [Picture(png(made.paint()), "A dungeon of rooms and halls")],
        page=opened("maps", rooms=9, monsters=8, treasure=5, traps=5, seed=seed),
    )


def _shortest_far_way(made: MapResult) -> list[Cell]:
    """The shortest way between two checkpoints that should be far from each other."""
    spec = made.spec
    far = [(spec.checkpoints[i], spec.checkpoints[j]) for i, j, kind in spec.pairs if kind == FAR]
    return min((way(distances(made.walls, b), a) for a, b in far), key=len)
