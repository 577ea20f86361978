import { endpoints, pods, services } from "@pilothouse/api/core/v1"
import { recordingLog, type Transport, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decodeState } from "../versioned-objects/annotations.ts"
import { specAnnotation, stateAnnotation, vifAnnotation } from "./annotations.ts"
import { podPorts, podVif, type TestCluster, testCluster, testPod, testService } from "./testing/cluster.ts"

/** What happens right before the first write of that annotation reaches the API server; an answer is given instead of the server's. */
type Before = (run: TestCluster) => Promise<unknown>
type Disturbed = TestCluster & { readonly writes: readonly string[]; readonly warnings: () => readonly string[] }

async function disturbed(where: string, annotation: string, before: Before): Promise<Disturbed> {
  const writes: string[] = []
  const made = Promise.withResolvers<TestCluster>()
  const { log, lines } = recordingLog()
  const layer =
    (inner: Transport): Transport =>
    async (request) => {
      if (request.verb !== "PATCH" || !JSON.stringify(request.body).includes(annotation)) return inner(request)
      writes.push(request.path)
      if (!isThere(request, where) || writes.filter((path) => path.endsWith(where)).length > 1) return inner(request)
      const answer = await before(await made.promise)
      return isAnswer(answer) ? answer : inner(request)
    }
  const run = await testCluster({ cluster: { layer, log } })
  made.resolve(run)
  const warnings = () => lines.filter(({ level }) => level === "warn" || level === "error").map(({ message }) => message)
  return { ...run, writes, warnings, [Symbol.asyncDispose]: () => run[Symbol.asyncDispose]() }
}

function isThere({ path }: TransportRequest, where: string): boolean {
  return path.endsWith(where)
}

function isAnswer(value: unknown): value is TransportResponse {
  return typeof value === "object" && value !== null && "status" in value && "headers" in value
}

const ref = (kind: string, name: string) => ({ apiVersion: "v1", kind, metadata: { namespace: "default", name } })
const label = { metadata: { labels: { other: "client" } } }
const posts = ({ cloud }: TestCluster, path: string) => cloud.calls.filter((call) => call.verb === "POST" && call.path === path)
const gone = (run: TestCluster, name: string) => run.cluster.client.delete(pods, `default/${name}`, { gracePeriodSeconds: 0 })

describe("the VIF of a pod cannot be written at once", () => {
  test("conflict: the pod is read again and written at once, with the same port, and what another client wrote stays", async () => {
    await using run = await disturbed("/pods/web", vifAnnotation, ({ cluster }) => cluster.client.patch(pods, ref("Pod", "web"), label))
    await run.cluster.apply(testPod("web"))
    await run.cluster.until(async () => (await podVif(run, "web")) !== undefined)
    expect(run.cluster.clock.elapsed()).toBeLessThan(1000)
    const { metadata } = await run.cluster.client.get(pods, "default/web")
    expect([metadata.labels?.other, posts(run, "/v2.0/ports").length]).toEqual(["client", 1])
    expect((await podVif(run, "web"))?.id).toBe(podPorts(run)[0]?.id)
    expect(run.warnings()).toEqual([])
  })

  test("the pod is gone: its port is released, without a warning", async () => {
    await using run = await disturbed("/pods/web", vifAnnotation, (made) => gone(made, "web"))
    await run.cluster.apply(testPod("web"))
    await run.cluster.advance("10s")
    expect([run.writes.length, podPorts(run), run.warnings(), run.kuryr().failed()]).toEqual([1, [], [], []])
  })

  test("another pod has its name by now: the old port is released, and the new pod gets one of its own", async () => {
    let first = ""
    await using run = await disturbed("/pods/web", vifAnnotation, async (made) => {
      first = podPorts(made)[0]!.id
      await gone(made, "web")
      await made.cluster.apply(testPod("web"))
    })
    await run.cluster.apply(testPod("web"))
    await run.cluster.until(async () => (await podVif(run, "web"))?.active === true)
    expect(podPorts(run).map(({ id }) => id)).toEqual([(await podVif(run, "web"))?.id])
    expect(podPorts(run)[0]?.id).not.toBe(first)
    expect(run.warnings()).toEqual([])
  })

  test("anything else: it is tried again after 1 s with the same port", async () => {
    await using run = await disturbed("/pods/web", vifAnnotation, async () => ({ status: 500, headers: {}, body: valueBody({}) }))
    await run.cluster.apply(testPod("web"))
    await run.cluster.until(async () => (await podVif(run, "web")) !== undefined)
    expect(run.cluster.clock.elapsed()).toBeGreaterThanOrEqual(1000)
    expect([posts(run, "/v2.0/ports").length, podPorts(run).map(({ id }) => id)]).toEqual([1, [(await podVif(run, "web"))?.id]])
  })

  test("a pod that finished and is deleted in that moment: no warning, and nothing is written on one that is going", async () => {
    await using run = await disturbed("/pods/job", '"openstack.org/kuryr-vif":null', (made) => gone(made, "job"))
    await run.cluster.apply(testPod("job"))
    await run.cluster.until(async () => (await podVif(run, "job"))?.active === true)
    await run.cluster.client.patch(pods, ref("Pod", "job"), { status: { phase: "Succeeded" } }, { subresource: "status" })
    await run.cluster.advance("10s")
    expect([run.writes.length, podPorts(run), run.warnings()]).toEqual([1, [], []])
    const going = testPod("going")
    await run.cluster.apply({ ...going, metadata: { ...going.metadata, finalizers: ["example.org/wait"] } })
    await run.cluster.until(async () => (await podVif(run, "going"))?.active === true)
    await run.cluster.client.delete(pods, "default/going")
    await run.cluster.client.patch(pods, ref("Pod", "going"), { status: { phase: "Succeeded" } }, { subresource: "status" })
    await run.cluster.advance("10s")
    expect([run.writes.length, podPorts(run)]).toEqual([1, []])
  })
})

async function bothSpecs({ cluster }: TestCluster): Promise<readonly (string | undefined)[]> {
  const both = [await cluster.client.get(endpoints, "default/web"), await cluster.client.get(services, "default/web")]
  return both.map(({ metadata }) => metadata.annotations?.[specAnnotation])
}

describe("the specification of a load balancer", () => {
  test("is written on the Endpoints first, then on the Service, each only as it was seen", async () => {
    const guards: string[] = []
    const layer =
      (inner: Transport): Transport =>
      (request) => {
        const text = JSON.stringify(request.body)
        if (request.verb === "PATCH" && text.includes(specAnnotation) && request.path.endsWith("/web"))
          guards.push(`${request.path.split("/").at(-2)} ${/"resourceVersion":"\d+"/.test(text) && text.includes('"uid"')}`)
        return inner(request)
      }
    await using run = await testCluster({ cluster: { layer } })
    const subsets = [{ addresses: [{ ip: "10.10.9.9" }], ports: [{ port: 8080, protocol: "TCP" as const }] }]
    await run.cluster.apply({ ...ref("Endpoints", "web"), subsets } as never)
    await run.cluster.apply(testService("web", { selector: undefined }))
    await run.cluster.advance("10s")
    expect(guards).toEqual(["endpoints true", "services true"])
  })

  test.each([
    ["Endpoints", endpoints],
    ["Service", services],
  ] as const)("conflict on the %s: read again and written, and what another client wrote stays", async (kind, of) => {
    const where = kind === "Service" ? "/services/web" : "/endpoints/web"
    const change = ({ cluster }: TestCluster) => cluster.client.patch(of as typeof services, ref(kind, "web"), label)
    await using run = await disturbed(where, specAnnotation, change)
    await run.cluster.apply(testService("web"))
    await run.cluster.advance("10s")
    const [one, other] = await bothSpecs(run)
    expect(one).toBeDefined()
    expect(other).toBe(one)
    expect((await run.cluster.client.get(of as typeof services, "default/web")).metadata.labels?.other).toBe("client")
    expect(run.warnings()).toEqual([])
  })
})

test("the state of a load balancer, conflict: read again and written, and no second load balancer is made", async () => {
  const change = ({ cluster }: TestCluster) => cluster.client.patch(endpoints, ref("Endpoints", "web"), label)
  await using run = await disturbed("/endpoints/web", stateAnnotation, change)
  await run.cluster.apply(testService("web"))
  await run.cluster.advance("30s")
  const { metadata } = await run.cluster.client.get(endpoints, "default/web")
  const balancers = [...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/web")
  expect(balancers.map(({ id }) => id)).toEqual([decodeState(metadata.annotations![stateAnnotation]!).loadbalancer?.id])
  expect([metadata.labels?.other, run.warnings()]).toEqual(["client", []])
})
