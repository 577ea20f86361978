import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { threadId } from "node:worker_threads"
import { afterAll, expect, test } from "vitest"
import { filesContract } from "../files.contract.ts"
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

test.skipIf(!existsSync("/dev/full"))("on a full disk the error says to make room", () => {
  const path = join(base, "kubeconfig")
  // Where the content goes first: a device that is always full.
  symlinkSync("/dev/full", `${path}.${process.pid}-${threadId}.new`)
  expect(() => systemFiles.write(path, "x")).toThrow(
    expect.objectContaining({
      code: "FILE",
      message: `could not write ${path} (ENOSPC: no space left on device, write); make room on that disk`,
    }),
  )
  expect(existsSync(path)).toBe(false)
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
