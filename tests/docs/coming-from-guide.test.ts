import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as api from "@pilothouse/api"
import * as runtime from "@pilothouse/runtime"
import * as seams from "@pilothouse/seams"
import * as testing from "@pilothouse/testing"
import { expect, test } from "vitest"
import { runtimeExports } from "../../tools/runtime-reference.ts"

const root = join(import.meta.dirname, "..", "..")
const guide = readFileSync(join(root, "docs", "guides", "coming-from.md"), "utf8")

/** The names in the right column of the tables: what is in code there, up to the first bracket or dot. */
const names = [...guide.matchAll(/^\| (?!there)[^|]+ \| ([^|]+) \|$/gm)].flatMap(([, here = ""]) =>
  [...here.matchAll(/`([A-Za-z]+)`/g)].map(([, name = ""]) => name),
)

const exported = new Set([
  ...[api, runtime, seams, testing].flatMap((module) => Object.keys(module)),
  ...runtimeExports().map(({ name }) => name),
])

/** Options and methods: what the sources of the runtime declare as members. */
const members = new Set(
  globSync("packages/{runtime,testing}/src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/^ {2}(?:readonly |async )?([a-zA-Z]+)\??(?:[:(<])/gm)].map(
      ([, name = ""]) => name,
    ),
  ),
)

test("the tables name what they are about", () => {
  expect(names.length).toBeGreaterThan(40)
})

test("every name in the right column exists", () => {
  expect(names.filter((name) => !exported.has(name) && !members.has(name) && !["KUBECONFIG", "TERMINAL"].includes(name))).toEqual([])
})
