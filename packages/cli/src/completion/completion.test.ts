import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { kinds } from "../commands/completion.ts"
import { pilothouseProgram } from "../program.ts"
import { completionScript } from "./completion.ts"

test.each(["bash", "zsh", "fish"] as const)("%s: every command, and the flags of each", async (shell) => {
  const program = await pilothouseProgram()
  const script = completionScript(shell, program, kinds())
  const words = new Set(script.split(/[\s"]+/))
  for (const command of program.commands) {
    expect(words).toContain(shell === "fish" ? command.name() : `${command.name()})`)
    for (const { long, hidden } of command.options) if (long && !hidden) expect(words).toContain(shell === "fish" ? long.slice(2) : long)
  }
})

test("fish: what belongs to a command of a command is offered after both", async () => {
  const lines = completionScript("fish", await pilothouseProgram(), kinds()).split("\n")
  const about = "discovery; and __fish_seen_subcommand_from watch"
  expect(lines).toContain(`complete -c pilothouse -n '__fish_seen_subcommand_from ${about}' -l token-file`)
  expect(lines).toContain(
    "complete -c pilothouse -n '__fish_seen_subcommand_from completion; and test (count (commandline -opc)) -eq 2' -a 'bash zsh fish'",
  )
  const isOwn = (line: string) => line.includes("from openstack; and not __fish_seen_subcommand_from doctor orphans' -a ")
  expect(lines.filter(isOwn)).toHaveLength(2)
})

test("fish: the values of a flag, and the kinds", async () => {
  const lines = completionScript("fish", await pilothouseProgram(), kinds()).split("\n")
  expect(lines).toContain("complete -c pilothouse -n '__fish_seen_subcommand_from get' -l output -x -a 'wide yaml json name'")
  expect(lines.filter((line) => / -a '(.* )?pods( .*)?'$/.test(line))).toHaveLength(4)
})

test("flags that change nothing are not offered", async () => {
  const script = completionScript("bash", await pilothouseProgram(), kinds())
  expect(script).not.toContain("--apiserver-count")
  expect(script).toContain("--leader-elect ")
})

test.each<[typed: readonly string[], offered: readonly string[]]>([
  [["ex"], ["explain"]],
  [
    ["up", "--e"],
    ["--ephemeral", "--exec"],
  ],
  [
    ["get", "pods", "--show"],
    ["--show-labels", "--show-managed-fields"],
  ],
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
  [["get", "dep"], ["deployments"]],
  [["explain", "statef"], ["statefulsets"]],
  [["delete", "al"], ["all"]],
  [["get", "pods", "dep"], [""]],
  [["top", "p"], ["pods"]],
  [
    ["get", "pods", "-o", ""],
    ["wide", "yaml", "json", "name"],
  ],
  [["get", "--output", "y"], ["yaml"]],
  [
    ["discovery", "bootstrap", "--for", ""],
    ["grpc", "envoy"],
  ],
  [["discovery", "--endpoints-from", "s"], ["slices"]],
  [["discovery", "b"], ["bootstrap"]],
  [["discovery", "--mesh-networks-f"], ["--mesh-networks-file"]],
  [["discovery", "watch", "--tok"], ["--token-file"]],
  [["discovery", "bootstrap", "--f"], ["--for"]],
  [["discovery", "explain", "web", "--kube"], ["--kubeconfig"]],
])("a bash that has read it completes %j", async (typed, offered) => {
  const script = completionScript("bash", await pilothouseProgram(), kinds())
  const words = ["pilothouse", ...typed].map((word) => JSON.stringify(word)).join(" ")
  const ask = `COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _pilothouse; echo "${"${COMPREPLY[@]}"}"`
  expect(
    execFileSync("bash", ["-c", `${script}${ask}`], { encoding: "utf8" })
      .trim()
      .split(" "),
  ).toEqual(offered)
})
