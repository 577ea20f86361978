// What docs/guides/cloud-provider.md says to run, on an API server with sockets.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nodes } from "@pilothouse/api/core/v1"
import { createClient, defaultTransport } from "@pilothouse/runtime"
import { silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterEach, expect, test, vi } from "vitest"
import { startApiServer } from "../apiserver/start.ts"
import { defaults } from "../apiserver/testing/flags.ts"
import { runProgram } from "../program.ts"
import { Signals } from "./testing/signals.ts"

afterEach(() => vi.restoreAllMocks())

const root = join(import.meta.dirname, "../../../..")

/** The words of the guide's command, with another path of the configuration. */
function guideWords(config: string): readonly string[] {
  const [, words = ""] =
    /```\nnpx @pilothouse\/cli (run --cloud-provider .*)\n```/.exec(readFileSync(join(root, "docs/guides/cloud-provider.md"), "utf8")) ?? []
  return words.split(" ").map((word) => (word === "cloud.json" ? config : word.replace(/^\.\//, `${root}/`)))
}

test("the command of the guide runs the controllers of the example's lab", async () => {
  await using making = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-lab-"))
  making.defer(() => rmSync(folder, { recursive: true }))
  const seams = { clock: systemClock, random: systemRandom(), files: virtualFiles(systemClock), log: silentLog }
  const server = making.use(await startApiServer(defaults, seams))
  const [kubeconfig, lab, config] = ["kubeconfig", "lab.json", "cloud.json"].map((name) => join(folder, name)) as [string, string, string]
  writeFileSync(kubeconfig, JSON.stringify(server.kubeconfig))
  writeFileSync(lab, JSON.stringify({ machines: { rack1: { address: "10.0.0.1", rack: "north" } } }))
  writeFileSync(config, JSON.stringify({ lab }))
  const connection = making.use(await defaultTransport({ kubeconfig, clock: systemClock }))
  const client = createClient(connection.transport)
  const taints = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" as const }]
  await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "rack1" }, spec: { taints } })
  for (const output of [process.stdout, process.stderr]) vi.spyOn(output, "write").mockImplementation(() => true)
  using signals = new Signals()
  const ended = runProgram([...guideWords(config), "--kubeconfig", kubeconfig, "--secure-port=0", "--controllers=cloud-node"])
  await expect.poll(async () => (await client.get(nodes, "rack1")).spec).toMatchObject({ providerID: "lab:///rack1" })
  signals.send("SIGTERM")
  expect(await ended).toBe(0)
})
