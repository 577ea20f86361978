import { Command } from "commander"
import { expect, test } from "vitest"
import { flagWords } from "./normalize-flags.ts"

function program(): Command {
  const all = new Command("pilothouse")
  all
    .command("up")
    .option("--ephemeral")
    .option("--data-dir <path>")
    .option("-A, --all-names")
    .option("--no-wait")
    .option("--lead [boolean]")
  all.command("cloud").option("--here").command("orphans").option("--delete")
  return all
}

test.each([
  ["as it is", ["up", "--ephemeral", "--data-dir", "x"], ["up", "--ephemeral", "--data-dir", "x"]],
  ["true", ["up", "--ephemeral=true"], ["up", "--ephemeral"]],
  ["as Go writes it too", ["up", "--ephemeral=T", "-A=1"], ["up", "--ephemeral", "-A"]],
  ["false", ["up", "--ephemeral=false", "x"], ["up", "x"]],
  ["the last one counts", ["up", "--all-names", "-A=false", "--ephemeral=false", "--ephemeral"], ["up", "--ephemeral"]],
  ["one that says no", ["up", "--no-wait=false"], ["up"]],
  [
    "of a subcommand, and of what it belongs to",
    ["cloud", "--here=true", "orphans", "--delete=true"],
    ["cloud", "--here", "orphans", "--delete"],
  ],
  ["of another command", ["cloud", "--ephemeral=true"], ["cloud", "--ephemeral=true"]],
  ["one that takes a value", ["up", "--data-dir=true", "--lead=false"], ["up", "--data-dir=true", "--lead=false"]],
  ["underscores", ["up", "--data_dir=a_b", "--all_names=true"], ["up", "--data-dir=a_b", "--all-names"]],
  ["what is not ours", ["up", "--", "--ephemeral=false"], ["up", "--", "--ephemeral=false"]],
])("%s: %j", (_what, args, words) => {
  expect(flagWords(program(), args)).toEqual(words)
})

test.each(["maybe", "", "TrUe"])("%j is neither true nor false", (value) => {
  expect(() => flagWords(program(), ["up", `--ephemeral=${value}`])).toThrow(`expected true or false for --ephemeral, found "${value}"`)
})
