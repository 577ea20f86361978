import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const command = fileURLToPath(new URL("../../bin/pilothouse.js", import.meta.url))

/** As npx does: a program that has read from its standard input has made it non-blocking, and its child has the same. */
const likeNpx =
  "process.stdin; const { spawnSync } = require('node:child_process'); process.exitCode = spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit' }).status"

test.each(["apply", "delete"])(
  "`… | npx @pilothouse/cli %s -f -` failed with EAGAIN where the other program took its time",
  async (verb) => {
    const words = [command, verb, "-f", "-", "--kubeconfig", "/nowhere"]
    const shell = `(sleep 0.3; echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}') | "$@"`
    const child = spawn("sh", ["-c", shell, "sh", process.execPath, "-e", likeNpx, "--", ...words], { stdio: ["ignore", "ignore", "pipe"] })
    const said: string[] = []
    child.stderr.setEncoding("utf8").on("data", (text: string) => void said.push(text))
    const [code] = (await once(child, "close")) as [number | null]
    expect([code, said.join("")]).toEqual([2, expect.stringContaining("expected a kubeconfig at /nowhere")])
  },
  30_000,
)
