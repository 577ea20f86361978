import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { type Transport, type TransportResponse, valueBody } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { type Finding, formatFindings } from "./check.ts"
import { checkCluster } from "./cluster-checks.ts"
import { checkPort } from "./machine-checks.ts"

type Answer = (path: string) => Partial<TransportResponse> | undefined

/** The doctor's findings about a real server, some of whose answers are others: by what they are about. */
async function examined({ transport, clock }: Cluster, answer: Answer = () => undefined): Promise<ReadonlyMap<string, Finding>> {
  const asked: Transport = async (request) => ({ ...(await transport(request)), ...answer(request.path) })
  return new Map((await checkCluster(asked, "https://here", clock)).map((finding) => [finding.what, finding]))
}

test("a cluster that is well: nothing to do", async () => {
  await using running = await cluster({ controllers: [] })
  await running.settled()
  const found = await examined(running, () => ({ headers: { date: new Date(running.clock.now()).toUTCString() } }))
  expect([...found.values()].map(({ what, state }) => `${what} ${state}`)).toEqual([
    "API server ok",
    "its version ok",
    "clock ok",
    "nodes ok",
    "permissions ok",
  ])
  expect(found.get("nodes")?.found).toBe("1 of 1 Ready")
})

const refused = { type: "value", value: { status: { allowed: false } } } as const
const rows: readonly [what: string, about: string, answer: Answer, found: RegExp, advice: RegExp][] = [
  ["a clock that is off", "clock", () => ({ headers: { date: "Thu, 01 Jan 2026 00:00:00 GMT" } }), /s apart from the server's/, /NTP/],
  [
    "rights that are missing",
    "permissions",
    (path) => (path.endsWith("selfsubjectaccessreviews") ? { body: refused } : undefined),
    /^may not list pods, create pods, update deployments, update leases$/,
    /deploy\/rbac\.yaml/,
  ],
  ["credentials that are refused", "API server", () => ({ status: 401 }), /answered 401 to GET \/version/, /credentials of the kubeconfig/],
]
test.each(rows)("%s: a problem, and what to do", async (_what, about, answer, found, advice) => {
  await using running = await cluster({ controllers: [] })
  await running.settled()
  const finding = (await examined(running, answer)).get(about)
  expect(finding).toMatchObject({ state: "problem", found: expect.stringMatching(found), advice: expect.stringMatching(advice) })
})

test("a cluster without nodes is no fault, and said", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  expect((await examined(running)).get("nodes")).toMatchObject({ state: "note", found: "none" })
})

test("of a user who may not list nodes it was said that the server is the problem, and nothing else", async () => {
  await using running = await cluster({ controllers: [] })
  await running.settled()
  const forbidden = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message: "nodes is forbidden" }
  const found = await examined(running, (path) => (path === "/api/v1/nodes" ? { status: 403, body: valueBody(forbidden) } : undefined))
  expect([...found.values()].map(({ what, state }) => `${what} ${state}`)).toEqual([
    "API server ok",
    "its version ok",
    "clock note",
    "nodes note",
    "permissions ok",
  ])
  expect(found.get("nodes")?.found).toContain("nodes is forbidden")
  expect(formatFindings([...found.values()])).toContain("Nothing wrong was found, but 1 check was not made: nodes.")
})

test("a server that is not there: one problem, and how to start one", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  const dead: Transport = () => Promise.reject(new Error("nothing listens there"))
  expect(await checkCluster(dead, "https://here", running.clock)).toEqual([
    {
      what: "API server",
      state: "problem",
      found: "nothing listens there",
      advice: 'start a cluster with "pilothouse up", or name another kubeconfig with --kubeconfig',
      notMade: ["its version", "clock", "nodes", "permissions"],
    },
  ])
})

test("a port that is in use, and the same one when it is free", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  expect(await checkPort("127.0.0.1", port)).toMatchObject({ what: `port ${port}`, state: "note" })
  server.close()
  await once(server, "close")
  expect(await checkPort("127.0.0.1", port)).toMatchObject({ state: "ok", found: "free" })
})
