// Records docs/images/tour.svg: the program of this tree in a pseudo-terminal, and kubectl beside it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runTyped, startTyped, withoutControls } from "../../tests/readme/terminal.ts"
import { binary, ensure } from "../components/index.ts"
import { type TerminalStep, terminalSvg } from "./terminal-svg.ts"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const scratch = mkdtempSync(join(tmpdir(), "pilothouse-picture-"))
const commands = [
  "kubectl apply -f examples/web.yaml",
  "kubectl rollout status deployment/web | tail -n 1",
  "kubectl get pods",
  "kubectl set image deployment/web web=does-not-exist:2",
  "npx @pilothouse/cli explain deployment/web | head -n 2",
]

await ensure("kubectl@1.35", { onProgress: console.log })
const cluster = startTyped(`npm start --silent -- --data-dir ${join(scratch, "data")}`, { cwd: root })
try {
  const shown = await untilUp()
  const env = {
    ...process.env,
    KUBECONFIG: /KUBECONFIG=(\S+)/.exec(shown)?.[1],
    PATH: `${dirname(binary("kubectl@1.35", "kubectl") ?? "")}:${process.env.PATH}`,
  }
  const steps: TerminalStep[] = [{ command: "npm start", output: asAtHome(shown.split("\n\n")[0] ?? "") }]
  for (const command of commands) steps.push({ command, output: settledOutput(command, env) })
  const file = join(root, "docs", "images", "tour.svg")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    terminalSvg("A cluster starts, a Deployment becomes ready, and explain says why its next rollout does not", 108, steps),
  )
  console.log(`recorded ${file}`)
} finally {
  const ended = new Promise<void>((resolve) => cluster.once("exit", () => resolve()))
  cluster.stdin?.write("\x03")
  await ended
  rmSync(scratch, { recursive: true, force: true })
}

function untilUp(): Promise<string> {
  return new Promise((resolve, reject) => {
    let shown = ""
    cluster.stdout?.on("data", (chunk: Buffer) => {
      shown += chunk.toString()
      if (/Ctrl-C[^\n]*\n/.test(shown)) resolve(withoutControls(shown))
    })
    cluster.on("exit", (code) => reject(new Error(`npm start ended with ${code}: ${shown}`)))
  })
}

/** What a command shows once the controllers have done their part: explain is asked until it names the cause. */
function settledOutput(command: string, env: NodeJS.ProcessEnv): string {
  const look = () => asAtHome(runTyped(command, { cwd: root, env }))
  let output = look()
  const end = performance.now() + 20_000
  while (command.includes(" explain ") && !output.includes("does-not-exist") && performance.now() < end) output = look()
  return output
}

/** Paths of the machine that records do not belong into the picture. */
function asAtHome(text: string): string {
  return text.replaceAll(scratch, "/home/you/pilothouse").replaceAll(root, "/home/you/pilothouse").trim()
}
