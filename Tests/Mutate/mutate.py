"""Changes one line of the program at a time and sees whether a test notices.

    python3 Tests/Mutate/mutate.py [--seed N] [--minutes N] [--count N] [--layers "Domain Store API"] [--only PATH]

It works in a copy of the tree under .build/mutate, with the tests of the mutated layer alone. A mutation that
compiles and that no test notices survives; each is printed with its file and line. The same seed tries the same
mutations. Mend the tests, not the score: a survivor that changes nothing anybody can see is no fault.
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build/mutate"

# The sources of each layer, and the test targets that have to notice.
LAYERS = {
    "Domain": (["Sources/Domain"], ["DomainTests", "EncodingTests", "ExplainTests"]),
    "Explain": (["Sources/Explain"], ["ExplainTests"]),
    "Store": (["Sources/Store/Rules", "Sources/Store/Happenings"], ["StoreTests", "SQLiteStoreTests"]),
    "API": (["Sources/API"], ["APITests", "SupportPagesTests"]),
}

# What is looked for in a line, and what stands in its place.
CHANGES = [
    (r" == ", " != "),
    (r" != ", " == "),
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \* ", " / "),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bmin\(", "max("),
    (r"\bmax\(", "min("),
    (r"\.lowercased\(\)", ""),
    (r"\.uppercased\(\)", ""),
    (r"\.sorted\(\)", ""),
    (r"\.allSatisfy\b", ".contains"),
    (r"(?<![\w.)\]])!(?=[\w(.])", ""),
    (r"\b([1-9][0-9]*)\b(?!\.\d)", lambda found: str(int(found.group(1)) + 1)),
    (r" \?\? \w+$", ""),
]
# A statement of one line that can be left out.
STATEMENT = re.compile(r"^\s+(try |_ = )?[a-z]\w*(\.\w+)*(\(.*\)| [-+*]?= [^{]*[^{,(]|\.append\(.*\))$")
# Lines in which a change is none, or no test's business.
SKIPPED = re.compile(r"^\s*(//|import |internal import |public import |@|case \w+$|assert|precondition)")


class Mutation:
    def __init__(self, path, number, before, after):
        self.path, self.number, self.before, self.after = path, number, before, after

    def __str__(self):
        return f"{self.path}:{self.number}\n    - {self.before.strip()}\n    + {self.after.strip() or '(left out)'}"


def code_of(line):
    """The line with what stands in strings and comments blanked, so that only code is changed."""
    blanked, in_string = [], False
    for index, character in enumerate(line):
        if character == '"' and (index == 0 or line[index - 1] != "\\"):
            in_string = not in_string
            blanked.append('"')
        elif not in_string and line[index : index + 2] == "//":
            break
        else:
            blanked.append("_" if in_string else character)
    return "".join(blanked)


def mutations_of(path, text):
    in_text = False
    for number, line in enumerate(text.split("\n"), start=1):
        # What stands in a literal of several lines is text.
        if line.count('"""') == 1:
            in_text = not in_text
            continue
        if in_text or SKIPPED.match(line):
            continue
        code = code_of(line)
        for pattern, replacement in CHANGES:
            for found in re.finditer(pattern, code):
                new = replacement(found) if callable(replacement) else replacement
                yield Mutation(path, number, line, line[: found.start()] + new + line[found.end() :])
        if STATEMENT.match(code) and not code.strip().startswith("return"):
            yield Mutation(path, number, line, "")


def all_mutations(layer, only):
    for folder in LAYERS[layer][0]:
        for path in sorted((ROOT / folder).rglob("*.swift")):
            name = str(path.relative_to(ROOT))
            if only is None or only in name:
                yield from mutations_of(name, path.read_text())


def run(command, seconds):
    """The exit status and the output; 124 where it took too long."""
    process = subprocess.Popen(
        ["timeout", "--kill-after=5", str(seconds), *command],
        cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    output, _ = process.communicate()
    return process.returncode, output


class Tree:
    """The copy, with the tests of one layer alone."""

    def __init__(self, layer):
        self.tests = LAYERS[layer][1]
        COPY.mkdir(parents=True, exist_ok=True)
        for name in ["Sources", "Tests", "Package.swift", "openapi.yaml", "Config", "Deploy"]:
            source, target = ROOT / name, COPY / name
            if source.is_dir():
                # Files that did not change keep their times, and so do what was built of them.
                subprocess.run(["cp", "--archive", "--update", f"{source}/.", target], check=True)
                for old in target.rglob("*"):
                    if not (source / old.relative_to(target)).exists() and old.is_file():
                        old.unlink()
            else:
                shutil.copy2(source, target)
        self.environment = "LAUNCHLINK_TESTS=" + " ".join(self.tests)

    def build(self):
        return run(["env", self.environment, "swift", "build", "--product", "launchlinkPackageTests"], 1200)

    def test(self):
        return run(
            ["env", self.environment, "SWIFT_BACKTRACE=enable=no", "swift", "test", "--skip-build", "--quiet",
             "--disable-xctest"], 240)

    def outcome_of(self, mutation):
        path = COPY / mutation.path
        original = path.read_text()
        lines = original.split("\n")
        lines[mutation.number - 1] = mutation.after
        path.write_text("\n".join(lines))
        try:
            if self.build()[0] != 0:
                return "not compiled"
            return "survived" if self.test()[0] == 0 else "noticed"
        finally:
            path.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20, help="when to stop, for each layer")
    parser.add_argument("--count", type=int, default=1000, help="how many to try, for each layer")
    parser.add_argument("--layers", default=" ".join(LAYERS))
    parser.add_argument("--only", help="a part of the paths to mutate")
    options = parser.parse_args()
    for layer in options.layers.split():
        tree = Tree(layer)
        status, output = tree.build()
        if status == 0:
            status, output = tree.test()
        if status != 0:
            raise SystemExit(f"{layer}: the tests fail before anything is changed\n{output[-2000:]}")
        mutations = list(all_mutations(layer, options.only))
        random.Random(options.seed).shuffle(mutations)
        end = time.monotonic() + options.minutes * 60
        counts = {"noticed": 0, "survived": 0, "not compiled": 0}
        for mutation in mutations[: options.count]:
            if time.monotonic() > end:
                break
            outcome = tree.outcome_of(mutation)
            counts[outcome] += 1
            if outcome == "survived":
                print(f"survived: {mutation}", flush=True)
        tried = counts["noticed"] + counts["survived"]
        print(
            f"{layer}: {tried} tried of {len(mutations)}, {counts['survived']} survived"
            f" ({counts['not compiled']} more did not compile), seed {options.seed}", flush=True)


if __name__ == "__main__":
    main()
