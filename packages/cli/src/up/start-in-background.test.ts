import { closeSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { newLog } from "./start-in-background.ts"

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "pilothouse-log-"))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

test.each([
  ["a symbolic link", symlinkSync],
  ["a hard link", linkSync],
])("%s in the place of the log of a background cluster leaves the file that it leads to as it is", (_, link) => {
  const home = folder()
  const [own, log] = [join(home, "own"), join(home, "up.log")]
  writeFileSync(own, "keys")
  link(own, log)
  closeSync(newLog(log))
  expect([readFileSync(own, "utf8"), readFileSync(log, "utf8")]).toEqual(["keys", ""])
  const { mode } = lstatSync(log)
  expect([lstatSync(log).isFile(), mode & 0o777]).toEqual([true, 0o600])
})

test("a directory in the place of the log is refused with a way out", () => {
  const log = join(folder(), "up.log")
  mkdirSync(log)
  expect(() => newLog(log)).toThrow(/^the log .*up\.log cannot be made: .*; remove what is there$/)
})
