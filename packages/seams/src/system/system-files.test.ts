import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
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
