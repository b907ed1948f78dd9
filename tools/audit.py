"""``make audit``: known holes in what we depend on.  Exit code 1: there is one.

Where the list of holes can't be reached that is said, loudly, and nothing is known.
"""

import json
import subprocess
import sys


def main() -> int:
    command = [sys.executable, "-m", "pip_audit", "--skip-editable", "--format", "json"]
    ended = subprocess.run(command, capture_output=True, text=True)
    try:
        packages = json.loads(ended.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        said = ended.stderr.strip().splitlines() or ["nothing was said"]
        print(f"AUDIT SKIPPED: the list of holes can't be had here: {said[-1][:200]}")
        return 0
    looked_up = [p for p in packages if "skip_reason" not in p]
    if not looked_up:
        print(f"AUDIT SKIPPED: none of the {len(packages)} packages could be looked up here")
        return 0
    holes = [(p, hole) for p in looked_up for hole in p["vulns"]]
    for package, hole in holes:
        fixed = ", ".join(hole["fix_versions"]) or "no version"
        print(f"{package['name']} {package['version']}: {hole['id']}, mended in {fixed}")
    print(f"{len(looked_up)} of {len(packages)} packages looked up: {len(holes)} known holes")
    return 1 if holes else 0


if __name__ == "__main__":
    sys.exit(main())
