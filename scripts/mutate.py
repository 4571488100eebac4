"""Change one operator, number or call of a module after another, and see whether its tests notice.

    python scripts/mutate.py --every 5 mtworkbench/outputs/nbest.py tests/outputs/test_nbest.py -m "not slow"

What follows the module is given to pytest. A mutant takes little longer than its tests: it is run as a seeded defect.
"""

import argparse
import ast
import sys
import tempfile
from collections.abc import Iterator
from copy import copy
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # what runs seeded defects is in tests/
from tests.defects import run  # noqa: E402

OTHERS = {
    ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn,
    ast.Add: ast.Sub, ast.Mult: ast.Div, ast.BitAnd: ast.BitOr, ast.And: ast.Or,
}  # fmt: skip
OTHERS |= {other: one for one, other in OTHERS.items()}


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node."""

    def but(**fields: object) -> ast.AST:
        new = copy(node)
        vars(new).update(fields)
        return new

    for place, operator in enumerate(getattr(node, "ops", ())):
        if other := OTHERS.get(type(operator)):
            yield but(ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])
    if other := OTHERS.get(type(getattr(node, "op", None))):
        yield but(op=other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield but(value=not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
        yield but(value=ast.Constant(None))
    elif isinstance(node, ast.Call):
        names = [one.arg for one in node.keywords if one.arg != "strict"]  # a guard of zip
        yield from (but(keywords=[one for one in node.keywords if one.arg != name]) for name in names)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node, ast.If | ast.IfExp) and not isinstance(node.test, ast.Compare):
        yield but(test=ast.UnaryOp(ast.Not(), node.test))


def mutants(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield the line of each change, what it does, and the changed module; types and decorators stay."""
    kept = [getattr(node, field, None) for node in ast.walk(tree) for field in ("annotation", "returns")]
    kept += [one for node in ast.walk(tree) for one in getattr(node, "decorator_list", ())]
    kept += [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "strict"]
    fixed = {part for one in kept if one for part in ast.walk(one)}
    for parent in ast.walk(tree):
        for field, content in ast.iter_fields(parent):
            for place, node in enumerate(content if isinstance(content, list) else [content]):
                for new in changed(node) if node not in fixed else ():
                    whole = [*content[:place], new, *content[place + 1 :]] if isinstance(content, list) else new
                    setattr(parent, field, whole)
                    before, after = (ast.unparse(one).partition("\n")[0] for one in (node, new))
                    yield node.lineno, f"{before}  ->  {after}", ast.unparse(tree)
                    setattr(parent, field, content)


def main() -> None:
    """Write a line for each mutant that no test notices, and how many were noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth mutant")
    parser.add_argument("--lines", type=lambda text: set(map(int, text.split(","))), help="only those of lines 3,5,12")
    parser.add_argument("module", help="its path in the repository")
    parser.add_argument("tests", nargs=argparse.REMAINDER, help="tests, and options of pytest")
    chosen = parser.parse_args()
    sound = (ROOT / chosen.module).read_text(encoding="utf-8")
    found = [one for one in mutants(ast.parse(sound)) if not chosen.lines or one[0] in chosen.lines]
    found, escaped = sorted(found)[:: chosen.every], 0
    with tempfile.TemporaryDirectory() as folder:
        run.copy(ROOT, Path(folder) / "tree")
        tree = run.Tree(Path(folder) / "tree")
        for line, what, text in [(0, "no mutant", sound), *found]:
            run.write_files(tree.path, {chosen.module: text})
            last = tree.run_tests(["-x", "--timeout=60", *chosen.tests])[1].rstrip().rpartition("\n")[2]
            passes = " passed" in last and " failed" not in last and " error" not in last
            if not line and not passes:
                sys.exit(f"These tests do not pass without any mutant: {last}")
            if line and passes:
                escaped += 1
                print(f"{chosen.module}:{line}: {what}", flush=True)  # noqa: T201
        tree.close()
    print(f"{len(found) - escaped} of {len(found)} mutants of {chosen.module} are noticed.")  # noqa: T201


if __name__ == "__main__":
    main()
