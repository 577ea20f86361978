// What docs/guides/real-cluster.md says to run, as an account with the shipped rights and no others.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { leases } from "@pilothouse/api/coordination/v1"
import { roles } from "@pilothouse/api/rbac/v1"
import { controllers } from "@pilothouse/controllers"
import { type Client, createClient, defaultTransport } from "@pilothouse/runtime"
import { silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterEach, expect, test, vi } from "vitest"
import { startApiServer } from "../apiserver/start.ts"
import { defaults } from "../apiserver/testing/flags.ts"
import { runProgram } from "../program.ts"
import { Signals } from "./testing/signals.ts"

afterEach(() => vi.restoreAllMocks())

const root = join(import.meta.dirname, "../../../..")
const guide = readFileSync(join(root, "docs/guides/real-cluster.md"), "utf8")
/** Of the account, its Role and, beside another program, its Lease. */
const name = "kube-system/pilothouse"
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } }
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template },
} as const

/** The words of the guide's command that begins so, with files of the test in place of those of the reader, and any free port. */
function words(begin: string, kubeconfig: string): readonly string[] {
  const line = guide.split("\n").find((text) => text.startsWith(`npx @pilothouse/cli ${begin}`)) ?? ""
  const files: Readonly<Record<string, string>> = {
    "pilothouse.kubeconfig": kubeconfig,
    "deploy/rbac.yaml": join(root, "deploy/rbac.yaml"),
    "20257": "0",
  }
  return line
    .split(" ")
    .slice(2)
    .map((word) => files[word] ?? word)
}

/** A server of its own, with RBAC, and a kubeconfig of its administrator. */
async function aCluster(
  making: AsyncDisposableStack,
): Promise<{ readonly client: Client; readonly admin: string; readonly account: string }> {
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-real-cluster-"))
  making.defer(() => rmSync(folder, { recursive: true }))
  const seams = { clock: systemClock, random: systemRandom(), files: virtualFiles(systemClock), log: silentLog }
  const server = making.use(await startApiServer(defaults, seams))
  const [admin, account] = [join(folder, "admin"), join(folder, "account")]
  writeFileSync(admin, JSON.stringify(server.kubeconfig))
  const client = createClient(making.use(await defaultTransport({ kubeconfig: admin, clock: systemClock })).transport)
  expect(await runProgram([...words("apply -f deploy/rbac.yaml", account), "--kubeconfig", admin])).toBe(0)
  const { status } = await client.requestToken(name)
  const users = server.kubeconfig.users.map(({ name: user }) => ({ name: user, user: { token: status?.token } }))
  writeFileSync(account, JSON.stringify({ ...server.kubeconfig, users }))
  return { client, admin, account }
}

test("a dry run changes nothing; beside another, two controllers lead by the patched Role and work with the shipped rights", async () => {
  await using making = new AsyncDisposableStack()
  const written = [process.stdout, process.stderr].map((output) => vi.spyOn(output, "write").mockImplementation(() => true))
  const said = () => written.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join("")
  const { client, admin, account } = await aCluster(making)
  await client.create(deployments, web)
  using signals = new Signals()
  const looking = runProgram([...words("run --dry-run", account), "--kubeconfig", admin])
  await expect.poll(said).toContain("create ReplicaSet default/web-")
  signals.send("SIGTERM")
  expect(await looking).toBe(0)
  expect((await client.list(replicaSets)).items).toEqual([])
  expect((await client.list(leases)).items.map(({ metadata }) => metadata.name)).not.toContain("kube-controller-manager")
  const [, patch = ""] = /patch role pilothouse --type json -p '(.*)'/.exec(guide) ?? []
  await client.patch(roles, name, JSON.parse(patch), { type: "json" })
  const leading = runProgram(words("run --kubeconfig pilothouse.kubeconfig --controllers", account))
  await expect.poll(async () => (await client.list(replicaSets)).items.length).toBe(1)
  expect((await client.get(leases, name)).spec?.holderIdentity).toMatch(/./)
  signals.send("SIGTERM")
  expect(await leading).toBe(0)
  expect((await client.get(leases, name)).spec?.holderIdentity ?? "").toBe("")
})

test("the names that the guide switches off are controllers", () => {
  const names = [...guide.matchAll(/[a-z]+(?:-[a-z]+)*-controller(?![-a-z])/g)].map(([name]) => name)
  const known = controllers.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(15)
  expect(names.filter((name) => !known.includes(name))).toEqual([])
})
