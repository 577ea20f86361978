import { pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import type { EmbeddedFault } from "../embedded/embedded-open-stack.ts"
import { vifAnnotation } from "./annotations.ts"
import { podPorts, podVif, readyPod, type TestCluster, testPod, testService } from "./testing/cluster.ts"
import {
  clients,
  conditionOn,
  createsPort,
  expectFault,
  expectReady,
  failing,
  gaps,
  members,
  objectsWithEvent,
  othersUnaffected,
  withOthers,
} from "./testing/faults.ts"

/** What makes the ports of this pod impossible, and what makes them possible again. */
interface PortTrouble {
  readonly fault?: EmbeddedFault
  begin?(run: TestCluster): Promise<void>
  end?(run: TestCluster): Promise<void>
  readonly says: RegExp
}

const portTroubles: Readonly<Record<string, PortTrouble>> = {
  "Neutron answers 500": { fault: { status: 500 }, says: /no port for the pod: POST \S+ answered 500/ },
  "Neutron does not answer": { fault: { hang: true }, says: /no port for the pod: .*60/ },
  "the connection breaks": { fault: { loseRequest: true }, says: /no port for the pod: / },
  "the quota of ports is used up": {
    async begin(run) {
      const { neutron } = clients(run)
      await neutron.setQuota(run.cloud.seed.project, { port: (await neutron.quota(run.cloud.seed.project)).port!.used })
    },
    end: (run) => clients(run).neutron.setQuota(run.cloud.seed.project, { port: -1 }),
    says: /no port for the pod: .*[Qq]uota/,
  },
  "the subnet has no address left": {
    async begin({ cloud }) {
      cloud.neutron.subnets.change(cloud.seed.podSubnet, { allocation_pools: [] })
    },
    async end({ cloud }) {
      cloud.neutron.subnets.change(cloud.seed.podSubnet, { allocation_pools: [{ start: "10.10.5.1", end: "10.10.5.9" }] })
    },
    says: /no port for the pod: .*No more IP addresses/,
  },
  "the node has no agent": {
    async begin({ cloud }) {
      cloud.knobs.hosts = ["node2"]
    },
    async end({ cloud }) {
      cloud.knobs.hosts = "any"
    },
    says: /Neutron has not bound the port \S+ to node1 \(binding_failed\); `openstack network agent list --host node1`/,
  },
}

describe("a pod that gets no port", () => {
  test.each(Object.entries(portTroubles))(
    "%s: told on it, tried again with backoff until the deadline, and others go on",
    async (_, trouble) => {
      await using run = await withOthers()
      await trouble.begin?.(run)
      const tries = failing(run, createsPort("unlucky"), trouble.fault)
      await run.cluster.apply(testPod("unlucky"))
      await run.cluster.advance("20s")
      await othersUnaffected(run)
      await run.cluster.advance("5m")
      // 1 s; 3 to 9 s; 3 to 21 s … for three minutes: never more than 60, and in fact about ten.
      const [first, ...more] = gaps(tries)
      expect([first! >= 1000, Math.min(...more) >= 3000]).toEqual([true, true])
      expect(tries.length).toBeGreaterThan(2)
      expect(tries.length).toBeLessThan(20)
      expect(await objectsWithEvent(run, "KuryrPortFailed")).toEqual(new Set(["unlucky"]))
      await expectFault(run, { handler: "vif", name: "unlucky", reason: "KuryrPortFailed", says: trouble.says })
      expect(run.kuryr().failed()).toMatchObject([{ handler: "vif", key: "default/unlucky" }])
      expect(podPorts(run).map(({ name }) => name)).toEqual(["other"])
      await trouble.end?.(run)
      run.cloud.fault = () => undefined
      await run.cluster.advance("11m")
      expect((await podVif(run, "unlucky"))?.active).toBe(true)
      expect([run.kuryr().failed(), podPorts(run).length]).toEqual([[], 2])
      await expectReady(run, "vif", "unlucky")
    },
  )

  test("Neutron was away before the handlers began: each pod gets an event, and is served when it is back", async () => {
    await using run = await withOthers()
    run.cloud.fault = ({ service }) => (service === "neutron" ? { status: 503 } : undefined)
    await run.cluster.restartControllers()
    await run.cluster.apply(testPod("new"))
    await run.cluster.advance("5m")
    await expectFault(run, { handler: "vif", name: "new", reason: "KuryrPortFailed", says: /^the cloud cannot be asked: .*503/ })
    run.cloud.fault = () => undefined
    await run.cluster.advance("11m")
    expect((await podVif(run, "new"))?.active).toBe(true)
    await expectReady(run, "vif", "new")
    // Its condition is that of the outage, which is over for it too.
    expect([await podVif(run, "other").then((vif) => vif?.active), await members(run, "other")]).toEqual([true, 1])
  })

  test("Neutron is away for five minutes while the handlers run: told on those who wait for it, and served when it is back", async () => {
    await using run = await withOthers()
    run.cloud.fault = ({ service }) => (service === "neutron" ? { status: 503 } : undefined)
    const tries = () => run.cluster.trace.entries().filter(({ controller, key }) => controller === "vif" && key === "default/new").length
    await run.cluster.apply(testPod("new"))
    await run.cluster.apply(testService("new", { selector: undefined }))
    await run.cluster.advance("5m")
    await expectFault(run, { handler: "vif", name: "new", reason: "KuryrPortFailed", says: /503/ })
    await expectFault(run, { handler: "lb", name: "new", reason: "KuryrLoadBalancerFailed", says: /503/ })
    expect([tries() > 2, tries() < 20]).toEqual([true, true])
    expect(await conditionOn(run, "vif", "other")).toBeUndefined()
    run.cloud.fault = () => undefined
    await run.cluster.advance("11m")
    expect((await podVif(run, "new"))?.active).toBe(true)
    await expectReady(run, "vif", "new")
    await expectReady(run, "lb", "new")
  })

  test("permanent 401: events say that the credentials are refused, and it goes on when they are accepted", async () => {
    await using run = await withOthers()
    run.cloud.keystone.revokeTokens()
    run.cloud.fault = ({ service }) => (service === "keystone" ? { status: 401 } : undefined)
    await run.cluster.apply(testPod("new"))
    await run.cluster.advance("5m")
    await expectFault(run, { handler: "vif", name: "new", reason: "KuryrPortFailed", says: /401/ })
    run.cloud.fault = () => undefined
    await run.cluster.advance("11m")
    expect((await podVif(run, "new"))?.active).toBe(true)
    await expectReady(run, "vif", "new")
  })

  test("the answer is lost with the work done: told, found again, never a second port, and others go on", async () => {
    await using run = await withOthers()
    let lost = 0
    run.cloud.fault = (call) => (createsPort("unlucky")(call) && lost++ === 0 ? { loseAnswer: true } : undefined)
    await run.cluster.apply(testPod("unlucky"))
    await run.cluster.advance("500ms")
    await expectFault(run, { handler: "vif", name: "unlucky", reason: "KuryrPortFailed", says: /no port for the pod: / })
    await othersUnaffected(run)
    await run.cluster.until(async () => (await podVif(run, "unlucky"))?.active === true)
    await run.cluster.advance("1s")
    await expectReady(run, "vif", "unlucky")
    expect([
      lost,
      podPorts(run)
        .map(({ name }) => name)
        .toSorted(),
    ]).toEqual([1, ["other", "unlucky"]])
  })

  test("the port of a pod that runs is deleted behind our back: told at the next reconcile, nothing is made, and others go on", async () => {
    await using run = await withOthers()
    await run.cluster.apply(testPod("web"))
    await readyPod(run, "web")
    await clients(run).neutron.ports.delete((await podVif(run, "web"))!.id)
    await run.cluster.advance("11m")
    await expectFault(run, { handler: "vif", name: "web", reason: "KuryrPortGone", says: /the port \S+ of the pod is gone from the cloud/ })
    await othersUnaffected(run)
    expect(podPorts(run).map(({ name }) => name)).toEqual(["other"])
  })

  test("an edited annotation: nothing is overwritten or retried, and it goes on when it is corrected", async () => {
    await using run = await withOthers()
    const edit = (name: string, text: string | null) =>
      run.cluster.client.patch(pods, { metadata: { namespace: "default", name } }, { metadata: { annotations: { [vifAnnotation]: text } } })
    run.cloud.knobs.portDelay = "never"
    await run.cluster.apply(testPod("edited"))
    await run.cluster.until(async () => (await podVif(run, "edited")) !== undefined)
    await edit("edited", "not even JSON")
    await run.cluster.advance("5m")
    await expectFault(run, {
      handler: "vif",
      name: "edited",
      reason: "KuryrPortFailed",
      says: /kuryr-vif of the Pod default\/edited cannot be read: .*mend or remove it/,
    })
    expect((await run.cluster.client.get(pods, "default/edited")).metadata.annotations?.[vifAnnotation]).toBe("not even JSON")
    const reconciles = run.cluster.trace.entries().filter(({ controller, error }) => controller === "vif" && error !== undefined)
    expect(reconciles).toHaveLength(1)
    await othersUnaffected(run)
    run.cloud.knobs.portDelay = 500
    await edit("edited", null)
    await run.cluster.advance("10s")
    // Its port, which was never wired, is the same: it was found, not made.
    expect(podPorts(run)).toHaveLength(2)
  })
})
