import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { hasPackagesOf, makeBaseTree, resolveCommit } from "./base-tree.ts"

let root: string

const git = (...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: root, encoding: "utf8" })

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pilothouse-base-test-"))
  git("init", "--quiet")
  write(".gitignore", "node_modules/\n")
  write("package-lock.json", "{}")
  write("packages/api/index.ts", "old product")
  write("benches/up.ts", "old question")
  write("tools/bench/main.ts", "old harness")
  git("add", ".")
  git("commit", "--quiet", "-m", "base")
  write("packages/api/index.ts", "new product")
  write("benches/up.ts", "new question")
  write("tools/bench/main.ts", "new harness")
  write("node_modules/tool/index.js", "tool")
  write("node_modules/.cache/bundle.js", "bundle of this tree")
  mkdirSync(join(root, "node_modules/@pilothouse"))
  symlinkSync("../../packages/api", join(root, "node_modules/@pilothouse/api"))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test("has the product of the commit, the questions of this tree and packages without this tree's bundle", () => {
  using tree = makeBaseTree(root, resolveCommit(root, "HEAD"))
  const read = (path: string) => readFileSync(join(tree.folder, path), "utf8")
  expect(read("benches/up.ts")).toBe("new question")
  expect(read("tools/bench/main.ts")).toBe("new harness")
  expect(read("packages/api/index.ts")).toBe("old product")
  expect(read("node_modules/@pilothouse/api/index.ts")).toBe("old product")
  expect(statSync(join(tree.folder, "node_modules/tool/index.js")).ino).toBe(statSync(join(root, "node_modules/tool/index.js")).ino)
  expect(existsSync(join(tree.folder, "node_modules/.cache"))).toBe(false)
})

test("leaves neither a folder nor a worktree behind", () => {
  const tree = makeBaseTree(root, resolveCommit(root, "HEAD"))
  tree[Symbol.dispose]()
  expect(existsSync(dirname(tree.folder))).toBe(false)
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1)
})

test("a commit that does not exist is refused by name", () => {
  expect(() => resolveCommit(root, "no-such-commit")).toThrow(
    "expected a commit after --base, found no-such-commit; git log --oneline lists them",
  )
})

test("packages are shared where this tree has all of the base at the same version, whatever it has beyond them", () => {
  const lock = (...names: readonly string[]) => ({
    packages: Object.fromEntries(names.map((name) => [`node_modules/${name.split("@")[0]}`, { version: name.split("@")[1] }])),
  })
  expect(hasPackagesOf(lock("a@1", "b@2"), lock("a@1"))).toBe(true)
  expect(hasPackagesOf(lock("a@2"), lock("a@1"))).toBe(false)
  expect(hasPackagesOf(lock("a@1"), lock("a@1", "b@2"))).toBe(false)
})
