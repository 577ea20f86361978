import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { completionScript } from "./completion.ts"
import { pilothouseProgram } from "./program.ts"

test.each(["bash", "zsh", "fish"] as const)("%s: every command, and the flags of each", async (shell) => {
  const program = await pilothouseProgram()
  const script = completionScript(shell, program)
  const words = new Set(script.split(/[\s"]+/))
  for (const command of program.commands) {
    expect(words).toContain(shell === "fish" ? command.name() : `${command.name()})`)
    for (const { long, hidden } of command.options) if (long && !hidden) expect(words).toContain(shell === "fish" ? long.slice(2) : long)
  }
})

test("fish: what belongs to a command of a command is offered after both", async () => {
  const lines = completionScript("fish", await pilothouseProgram()).split("\n")
  const about = "discovery; and __fish_seen_subcommand_from watch"
  expect(lines).toContain(`complete -c pilothouse -n '__fish_seen_subcommand_from ${about}' -l token-file`)
  expect(lines).toContain("complete -c pilothouse -n '__fish_seen_subcommand_from completion' -a zsh")
  const isOwn = (line: string) => line.includes("from openstack; and not __fish_seen_subcommand_from doctor orphans' -a ")
  expect(lines.filter(isOwn)).toHaveLength(2)
})

test("flags that change nothing are not offered", async () => {
  const script = completionScript("bash", await pilothouseProgram())
  expect(script).not.toContain("--requestheader-client-ca-file")
  expect(script).toContain("--leader-elect ")
})

test.each<[typed: readonly string[], offered: readonly string[]]>([
  [["ex"], ["explain"]],
  [
    ["up", "--e"],
    ["--ephemeral", "--exec"],
  ],
  [["get", "pods", "--show"], ["--show-labels"]],
  [
    ["openstack", ""],
    ["doctor", "orphans"],
  ],
  [["openstack", "orphans", "--gr"], ["--grace"]],
  [["openstack", "doctor", "--gr"], [""]],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["discovery", "b"], ["bootstrap"]],
  [["discovery", "--mesh-networks-f"], ["--mesh-networks-file"]],
  [["discovery", "watch", "--tok"], ["--token-file"]],
  [["discovery", "bootstrap", "--f"], ["--for"]],
  [["discovery", "explain", "web", "--kube"], ["--kubeconfig"]],
])("a bash that has read it completes %j", async (typed, offered) => {
  const script = completionScript("bash", await pilothouseProgram())
  const words = ["pilothouse", ...typed].map((word) => JSON.stringify(word)).join(" ")
  const ask = `COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _pilothouse; echo "${"${COMPREPLY[@]}"}"`
  expect(
    execFileSync("bash", ["-c", `${script}${ask}`], { encoding: "utf8" })
      .trim()
      .split(" "),
  ).toEqual(offered)
})
