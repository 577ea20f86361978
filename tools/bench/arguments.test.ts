import { expect, test } from "vitest"
import { readArguments } from "./arguments.ts"

const known = ["apiserver", "up"]
const read = (line: string) => readArguments(line.split(" ").filter(Boolean), known)

test("a name alone runs every question beside its peers", () => {
  expect(read("up")).toMatchObject({ kind: "run", name: "up", peers: true, all: true, prepared: false })
})

test("a base commit is compared in seven rounds, without what takes minutes", () => {
  expect(read("apiserver --base HEAD~1")).toMatchObject({ kind: "compare", name: "apiserver", base: "HEAD~1", rounds: 7, all: false })
  expect(read("apiserver --base=v1 --rounds 11 --only memory --all --out x.json")).toMatchObject({
    kind: "compare",
    rounds: 11,
    only: "memory",
    all: true,
    out: "x.json",
  })
})

test("a round of a comparison has no peers and leaves out what takes minutes", () => {
  expect(read("up --no-peers --prepared --out rows.json")).toMatchObject({
    kind: "run",
    peers: false,
    all: false,
    prepared: true,
    out: "rows.json",
  })
  expect(read("up --no-peers --all")).toMatchObject({ peers: false, all: true })
  expect(read("up --prepare")).toEqual({ kind: "prepare", name: "up" })
})

test.each([
  ["", "expected the name of a bench, found none; there are apiserver, up"],
  ["down", "expected the name of a bench, found down; there are apiserver, up"],
  ["up apiserver", "expected the name of one bench, found up apiserver; run them one after the other"],
  ["up --base=", "expected a commit after --base, found nothing; for example --base HEAD~1"],
  ["up --rounds 9", "expected --rounds together with --base COMMIT, found --rounds 9 alone"],
  ["up --base x --rounds 3", "expected --rounds with a whole number from 7 to 999, found 3"],
  ["up --base x --rounds many", "expected --rounds with a whole number from 7 to 999, found many"],
])("refuses %j", (line, message) => {
  expect(read(line)).toEqual({ kind: "wrong", message })
})

test("refuses a flag that does not exist by name", () => {
  expect(read("up --bas x")).toMatchObject({ kind: "wrong", message: expect.stringContaining("--bas") })
})
