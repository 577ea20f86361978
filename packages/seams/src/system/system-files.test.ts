import fs, {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { filesContract } from "../files/files.contract.ts"
import { systemFiles } from "./system-files.ts"

const base = mkdtempSync(join(tmpdir(), "pilothouse-files-"))
afterAll(() => rmSync(base, { recursive: true }))

filesContract("system", () => ({ files: systemFiles, root: join(mkdtempSync(join(base, "case-")), "root") }))

test("the error says what could not be done, where, why, and what to do", () => {
  systemFiles.makeDirectory(join(base, "d"))
  const path = join(base, "d")
  expect(() => systemFiles.read(path)).toThrow(
    expect.objectContaining({
      code: "FILE",
      message: `could not read ${path} (EISDIR: illegal operation on a directory, read); check the path and its permissions`,
    }),
  )
})

/** While the given function stands in for one of node:fs. */
function replaced<Name extends "openSync" | "writeFileSync">(name: Name, by: (original: (typeof fs)[Name]) => unknown): Disposable {
  const original = fs[name]
  Object.assign(fs, { [name]: by(original) })
  syncBuiltinESMExports()
  return {
    [Symbol.dispose]() {
      Object.assign(fs, { [name]: original })
      syncBuiltinESMExports()
    },
  }
}

test.skipIf(!existsSync("/dev/full"))("on a full disk the error says to make room, and nothing is left behind", () => {
  const directory = mkdtempSync(join(base, "full-"))
  const path = join(directory, "kubeconfig")
  // A device that is always full.
  using _full = replaced("writeFileSync", (original) => (_handle: unknown, content: string) => original("/dev/full", content))
  expect(() => systemFiles.write(path, "x")).toThrow(
    expect.objectContaining({
      code: "FILE",
      message: `could not write ${path} (ENOSPC: no space left on device, write); make room on that disk`,
    }),
  )
  expect(systemFiles.list(directory)).toEqual([])
})

test("the temporary file of a secret had a name that could be guessed, and a link under it was followed: the name is random, and must be free", () => {
  const directory = mkdtempSync(join(base, "planted-"))
  const opened: string[] = []
  writeFileSync(join(directory, "victim"), "untouched")
  using _planted = replaced("openSync", (original) => (path: string, flags: string, mode: number) => {
    opened.push(path)
    // An attacker who guesses the name in time.
    if (opened.length === 1) symlinkSync(join(directory, "victim"), path)
    return original(path, flags, mode)
  })
  expect(() => systemFiles.write(join(directory, "kubeconfig"), "secret", { mode: 0o600 })).toThrow("EEXIST")
  systemFiles.write(join(directory, "kubeconfig"), "secret", { mode: 0o600 })
  expect(readFileSync(join(directory, "victim"), "utf8")).toBe("untouched")
  expect(lstatSync(join(directory, "kubeconfig")).isFile()).toBe(true)
  expect(opened.map((path) => /kubeconfig\.[0-9a-f]{16}\.new$/.test(path))).toEqual([true, true])
  expect(opened[0]).not.toBe(opened[1])
})

test("a temporary file that a crash has left does not matter to the next write", () => {
  const directory = mkdtempSync(join(base, "left-"))
  writeFileSync(join(directory, `kubeconfig.${process.pid}-0.new`), "half")
  systemFiles.write(join(directory, "kubeconfig"), "whole", { mode: 0o600 })
  expect(readFileSync(join(directory, "kubeconfig"), "utf8")).toBe("whole")
})

test("with followLink the link stays and what it leads to is written, also where nothing is there yet; without it the link is replaced", () => {
  const directory = realpathSync(mkdtempSync(join(base, "follow-")))
  const [config, second] = [join(directory, "config"), join(directory, "second")]
  symlinkSync("second", config)
  symlinkSync("dotfiles/kube", second)
  systemFiles.write(config, "one", { mode: 0o600, followLink: true })
  systemFiles.write(config, "two", { mode: 0o600, followLink: true })
  expect([config, second].map((path) => lstatSync(path).isSymbolicLink())).toEqual([true, true])
  expect(readFileSync(join(directory, "dotfiles", "kube"), "utf8")).toBe("two")
  expect(systemFiles.list(join(directory, "dotfiles"))).toEqual(["kube"])
  systemFiles.write(config, "three", { mode: 0o600 })
  expect([lstatSync(config).isFile(), readFileSync(second, "utf8")]).toEqual([true, "two"])
})

test("a link loop and a device are refused, and left as they are", () => {
  const directory = mkdtempSync(join(base, "odd-"))
  const link = join(directory, "circular")
  symlinkSync("circular", link)
  expect(() => systemFiles.write(link, "x", { followLink: true })).toThrow("found a link loop; remove it")
  expect(() => systemFiles.write("/dev/null", "x", { mode: 0o600 })).toThrow("expected a file at /dev/null, found a device, pipe or socket")
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true)
})

const isRoot = process.geteuid?.() === 0
const other = 65_534

test.skipIf(!isRoot)("a file that root replaces stays its owner's", () => {
  const directory = mkdtempSync(join(base, "owned-"))
  const path = join(directory, "config")
  writeFileSync(path, "before")
  for (const one of [path, directory]) chownSync(one, other, other)
  systemFiles.write(path, "after", { mode: 0o600, followLink: true })
  expect(statSync(path)).toMatchObject({ uid: other, gid: other })
  expect(readFileSync(path, "utf8")).toBe("after")
})

test.skipIf(!isRoot)("a secret is not written for another user who has put a file or a link into a world-writable directory", () => {
  const directory = mkdtempSync(join(base, "shared-"))
  chmodSync(directory, 0o1777)
  const [file, link] = [join(directory, "file"), join(directory, "link")]
  writeFileSync(file, "bait")
  symlinkSync(join(base, "victim"), link)
  lchownSync(link, other, other)
  chownSync(file, other, other)
  const write = (path: string) => systemFiles.write(path, "secret", { mode: 0o600, followLink: true })
  expect(() => write(file)).toThrow(`expected no file or a file of user 0 at ${file}, found one of user ${other}, who would get the secret`)
  expect(() => write(link)).toThrow(`found a link of user ${other} in a world-writable directory`)
  expect([readFileSync(file, "utf8"), existsSync(join(base, "victim"))]).toEqual(["bait", false])
  expect(systemFiles.list(directory)).toEqual(["file", "link"])
})

test("realPath follows links; one that points nowhere is absent; remove takes the link and not what it points to", () => {
  const root = realpathSync(mkdtempSync(join(base, "links-")))
  systemFiles.write(join(root, "there", "file"), "x")
  symlinkSync(join(root, "there"), join(root, "link"))
  symlinkSync(join(root, "nowhere"), join(root, "dangling"))
  expect(systemFiles.realPath(join(root, "link", "file"))).toBe(join(root, "there", "file"))
  expect(systemFiles.realPath(join(root, "dangling"))).toBeUndefined()
  systemFiles.remove(join(root, "link"))
  expect(systemFiles.list(root)).toEqual(["dangling", "there"])
  expect(systemFiles.list(join(root, "there"))).toEqual(["file"])
})
