import { spawnSync } from "node:child_process"

/** Runs a command to its end and gives what it wrote to standard output; throws with all it wrote when it fails. */
export function run(command: string, args: readonly string[], cwd: string): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 300_000 })
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(" ")} failed in ${cwd}: ${error?.message ?? `exit code ${status}`}\n${stdout}${stderr}`)
}
