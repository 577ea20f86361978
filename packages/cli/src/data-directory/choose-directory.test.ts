import { homedir } from "node:os"
import { join } from "node:path"
import { Command } from "commander"
import { expect, test } from "vitest"
import { addDirectoryOptions, type DirectoryOptions, directoryOf } from "./choose-directory.ts"

function chosen(...words: readonly string[]): string {
  const command = addDirectoryOptions(new Command("up"), "where")
  return directoryOf(command.parse(words, { from: "user" }).opts<DirectoryOptions>())
}

test.each<[words: readonly string[], directory: string]>([
  [[], ".pilothouse"],
  [["--data-dir", "here"], "here"],
  [["--name", "demo"], join(homedir(), ".local", "share", "pilothouse", "demo")],
])("%j", (words, directory) => {
  expect(chosen(...words)).toBe(directory)
})

test.each(["../demo", "Demo", "", "a".repeat(64), "a/b", "-a"])("a cluster is not called %j", (name) => {
  expect(() => chosen(`--name=${name}`)).toThrow(`for --name, such as "demo", found "${name}"`)
})

test("a name and a directory contradict each other", () => {
  expect(() => chosen("--name", "a", "--data-dir", "b")).toThrow("expected one of --name and --data-dir, found both")
})
