import type { Node, Service } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { isSameStatus } from "./balancer-status.ts"
import { needsUpdate } from "./needs-update.ts"
import { areSameNodes, balancedNodes, concernsBalancers, nodeNames } from "./node-set.ts"
import { newService } from "./testing/cloud-cluster.ts"
import { cleanupFinalizer, needsCleanup, wantsLoadBalancer } from "./wants-load-balancer.ts"

type Spec = NonNullable<Service["spec"]>
const port = { name: "web", protocol: "TCP" as const, port: 80, nodePort: 30_080, targetPort: 8080, appProtocol: "http" }

describe("NeedsUpdate", () => {
  const rows: readonly [string, Partial<Spec>, Partial<Spec>, boolean][] = [
    ["nothing changed", {}, {}, false],
    ["neither wants a balancer", { type: "ClusterIP" }, { type: "NodePort" }, false],
    ["it wants one now", { type: "ClusterIP" }, {}, true],
    ["If the service type is changed from LoadBalancer to ClusterIP", {}, { type: "ClusterIP" }, true],
    ["it has a class now", {}, { loadBalancerClass: "example.com/other" }, true],
    ["source ranges", {}, { loadBalancerSourceRanges: ["10.0.0.0/8"] }, true],
    ["another source range", { loadBalancerSourceRanges: ["9.0.0.0/8"] }, { loadBalancerSourceRanges: ["10.0.0.0/8"] }, true],
    ["port name", { ports: [port] }, { ports: [{ ...port, name: "other" }] }, true],
    ["port protocol", { ports: [port] }, { ports: [{ ...port, protocol: "UDP" }] }, true],
    ["port number", { ports: [port] }, { ports: [{ ...port, port: 81 }] }, true],
    ["node port", { ports: [port] }, { ports: [{ ...port, nodePort: 30_081 }] }, true],
    ["target port", { ports: [port] }, { ports: [{ ...port, targetPort: "web" }] }, true],
    ["If appProtocol is set to a different value", { ports: [port] }, { ports: [{ ...port, appProtocol: "h2c" }] }, true],
    ["If appProtocol is the same", { ports: [port] }, { ports: [{ ...port }] }, false],
    ["If appProtocol is set when previously unset", { ports: [{ port: 80 }] }, { ports: [{ port: 80, appProtocol: "http" }] }, true],
    ["If the Ports are different", { ports: [port] }, { ports: [port, { ...port, name: "two", port: 81 }] }, true],
    ["order of ports", { ports: [port, { port: 81 }] }, { ports: [{ port: 81 }, port] }, true],
    ["session affinity", { sessionAffinity: "None" }, { sessionAffinity: "ClientIP" }, true],
    ["its config", { sessionAffinityConfig: {} }, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }, true],
    ["loadBalancerIP", {}, { loadBalancerIP: "1.2.3.4" }, true],
    ["If external ip counts are different", {}, { externalIPs: ["1.2.3.4"] }, true],
    ["If external ips are different", { externalIPs: ["1.2.3.5"] }, { externalIPs: ["1.2.3.4"] }, true],
    ["If ExternalTrafficPolicy is different", { externalTrafficPolicy: "Cluster" }, { externalTrafficPolicy: "Local" }, true],
    ["If HealthCheckNodePort is different", { healthCheckNodePort: 30_000 }, { healthCheckNodePort: 30_001 }, true],
    ["If service IPFamilies from single stack to dual stack", { ipFamilies: ["IPv4"] }, { ipFamilies: ["IPv4", "IPv6"] }, true],
    ["If service IPFamilies from dual stack to single stack", { ipFamilies: ["IPv4", "IPv6"] }, { ipFamilies: ["IPv4"] }, true],
    ["If service IPFamilies not change", { ipFamilies: ["IPv4", "IPv6"] }, { ipFamilies: ["IPv4", "IPv6"] }, false],
    ["order of ip families", { ipFamilies: ["IPv6", "IPv4"] }, { ipFamilies: ["IPv4", "IPv6"] }, false],
    ["selector, which is not the balancer's business", { selector: { a: "b" } }, { selector: { a: "c" } }, false],
  ]
  test.each(rows)("%s", (_what, old, now, expected) => {
    expect(needsUpdate(newService(old), newService(now))).toBe(expected)
  })

  test("If UID is different: it counts, as annotations do; labels do not", () => {
    const one = newService()
    const other = (metadata: object): Service => ({ ...one, metadata: { ...one.metadata, ...metadata } })
    expect(needsUpdate(one, other({ annotations: { a: "b" } }))).toBe(true)
    expect(needsUpdate(one, other({ uid: "other" }))).toBe(true)
    expect(needsUpdate(one, other({ labels: { a: "b" } }))).toBe(false)
  })
})

describe("NeedsCleanup", () => {
  const deletionTimestamp = "2026-01-05T09:00:00Z"
  const rows: readonly [string, object, Partial<Spec>, boolean][] = [
    ["service without finalizer", {}, {}, false],
    ["service with finalizer without timestamp without LB", { finalizers: [cleanupFinalizer, "other"] }, { type: "NodePort" }, true],
    ["service with finalizer without timestamp with LB", { finalizers: [cleanupFinalizer] }, {}, false],
    ["service with finalizer with timestamp", { finalizers: [cleanupFinalizer], deletionTimestamp }, {}, true],
    ["service without finalizer with timestamp", { finalizers: ["other"], deletionTimestamp }, {}, false],
  ]
  test.each(rows)("%s", (_what, metadata, spec, expected) => {
    const service = newService(spec)
    expect(needsCleanup({ ...service, metadata: { ...service.metadata, ...metadata } })).toBe(expected)
  })

  test("wanted is type LoadBalancer without a class", () => {
    expect([newService(), newService({ type: "ClusterIP" }), newService({ loadBalancerClass: "x/y" })].map(wantsLoadBalancer)).toEqual([
      true,
      false,
      false,
    ])
  })
})

interface Traits {
  readonly excluded?: string
  readonly tainted?: boolean
  readonly otherTaint?: boolean
  readonly label?: string
  readonly ready?: string
  readonly pressure?: string
  readonly providerID?: string
  readonly deleted?: boolean
}

function node({ excluded, tainted, otherTaint, label, ready, pressure, providerID, deleted }: Traits = {}, name = "a"): Node {
  const labels = {
    ...(excluded === undefined ? {} : { "node.kubernetes.io/exclude-from-external-load-balancers": excluded }),
    ...(label === undefined ? {} : { label }),
  }
  const taint = (key: string) => ({ key, effect: "NoSchedule" as const })
  const taints = [...(tainted ? [taint("ToBeDeletedByClusterAutoscaler")] : []), ...(otherTaint ? [taint("other")] : [])]
  const told = Object.entries({ Ready: ready, MemoryPressure: pressure }).filter(([, status]) => status !== undefined)
  const conditions = told.map(([type, status]) => ({ type, status: status as "True" }))
  const deletionTimestamp = deleted ? "2026-01-05T09:00:00Z" : undefined
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels, deletionTimestamp },
    spec: { taints, providerID },
    status: { conditions },
  }
}

describe("shouldSyncUpdatedNode", () => {
  const individual: readonly [string, Traits, Traits, boolean][] = [
    ["nothing changed", {}, {}, false],
    ["excluded F->T", {}, { excluded: "" }, true],
    ["excluded changed T->F", { excluded: "true" }, {}, true],
    ["excluded changed T->T", { excluded: "" }, { excluded: "true" }, false],
    ["excluded by a word that says no", {}, { excluded: "false" }, false],
    ["excluded by a word that says nothing", {}, { excluded: "maybe" }, true],
    ["the autoscaler's taint F->T", {}, { tainted: true }, false],
    ["other taint F->T", {}, { otherTaint: true }, false],
    ["other taint T->F", { otherTaint: true }, {}, false],
    ["other label changed F->T", {}, { label: "a" }, false],
    ["other label changed T->F", { label: "a" }, {}, false],
    ["other label changed", { label: "a" }, { label: "b" }, false],
    ["readiness changed T->F", { ready: "True" }, { ready: "False" }, false],
    ["readiness changed unset->unset", {}, {}, false],
    ["readiness changed F->F", { ready: "False" }, { ready: "False" }, false],
    ["readiness changed F->unset", { ready: "False" }, {}, false],
    ["readiness changed unset->F", {}, { ready: "False" }, false],
    ["ready F, other condition changed F->T", { ready: "False", pressure: "False" }, { ready: "False", pressure: "True" }, false],
    ["ready F, other condition changed T->F", { ready: "False", pressure: "True" }, { ready: "False", pressure: "False" }, false],
    ["ready T, other condition changed F->T", { ready: "True", pressure: "False" }, { ready: "True", pressure: "True" }, false],
    ["ready T, other condition changed T->F", { ready: "True", pressure: "True" }, { ready: "True", pressure: "False" }, false],
    ["readiness changed unset->T", {}, { ready: "True" }, false],
    ["deletionTimestamp F->T", {}, { deleted: true }, false],
    ["providerID set F->T", {}, { providerID: "a" }, true],
    ["providerID set T->F", { providerID: "a" }, {}, true],
    ["providerID change", { providerID: "a" }, { providerID: "b" }, true],
  ]
  test.each(individual)("individual: %s", (_what, old, now, expected) => {
    expect(concernsBalancers({ type: "updated", old: node(old), object: node(now) })).toBe(expected)
  })

  const always: readonly [string, Traits][] = [
    ["tainted T", { tainted: true }],
    ["ready F", { ready: "False" }],
    ["providerID unset", {}],
  ]
  const compound = always.flatMap(([what, traits]): [string, Traits, Traits, boolean][] => [
    [`${what}, excluded F->T`, traits, { ...traits, excluded: "" }, true],
    [`${what}, excluded T->F`, { ...traits, excluded: "" }, traits, true],
    [`${what}, providerID change`, { ...traits, providerID: "a" }, { ...traits, providerID: "b" }, true],
    [`${what}, providerID set F->T`, { ...traits, providerID: undefined }, { ...traits, providerID: "a" }, true],
    [`${what}, providerID set T->F`, { ...traits, providerID: "a" }, { ...traits, providerID: undefined }, true],
    [`${what}, ready F->T`, { ...traits, ready: "False" }, { ...traits, ready: "True" }, false],
    [`${what}, ready T->F`, { ...traits, ready: "True" }, { ...traits, ready: "False" }, false],
    [`${what}, tainted F->T`, { ...traits, tainted: false }, { ...traits, tainted: true }, false],
    [`${what}, tainted T->F`, { ...traits, tainted: true }, { ...traits, tainted: false }, false],
    [`${what}, other label`, traits, { ...traits, label: "a" }, false],
  ])
  const excluded: readonly [string, Traits, Traits, boolean][] = [
    ["excluded T, tainted F->T", { excluded: "" }, { excluded: "", tainted: true }, false],
    ["excluded T, tainted T->F", { excluded: "", tainted: true }, { excluded: "" }, false],
    ["excluded T, ready F->T", { excluded: "", ready: "False" }, { excluded: "", ready: "True" }, false],
    ["excluded T, providerID set F->T", { excluded: "" }, { excluded: "", providerID: "a" }, true],
    ["excluded T, providerID set T->F", { excluded: "", providerID: "a" }, { excluded: "" }, true],
    ["excluded T, ready T->F", { excluded: "", ready: "True" }, { excluded: "", ready: "False" }, false],
    ["excluded T, providerID change", { excluded: "", providerID: "a" }, { excluded: "", providerID: "b" }, true],
  ]
  test.each([...compound, ...excluded])("compounded: %s", (_what, old, now, expected) => {
    expect(concernsBalancers({ type: "updated", old: node(old), object: node(now) })).toBe(expected)
  })

  test("a node that comes or goes always counts", () => {
    expect(concernsBalancers({ type: "added", object: node() })).toBe(true)
    expect(concernsBalancers({ type: "deleted", object: node(), finalStateUnknown: false })).toBe(true)
  })
})

describe("the node set", () => {
  test("ListWithPredicate: not deleting, not excluded, not going; readiness does not matter", () => {
    const all = [node({ ready: "False" }, "not-ready"), node({ excluded: "" }, "excluded"), node({ excluded: "False" }, "included")]
    const more = [node({ tainted: true }, "tainted"), node({ deleted: true }, "deleted"), node({ otherTaint: true }, "other")]
    expect(balancedNodes([...all, ...more]).map(({ metadata }) => metadata.name)).toEqual(["not-ready", "included", "other"])
  })

  const rows: readonly [string, readonly Node[], readonly Node[], boolean][] = [
    ["Nodes with updated providerID", [node({ providerID: "a" })], [node({ providerID: "b" })], false],
    ["Nodes unchanged", [node({ providerID: "a" })], [node({ providerID: "a", label: "b" })], true],
    ["Change node with empty providerID", [node()], [node({ providerID: "a" })], false],
    ["another order", [node({}, "a"), node({}, "b")], [node({}, "b"), node({}, "a")], true],
    ["another node", [node({}, "a")], [node({}, "b")], false],
    ["one more", [], [node()], false],
  ]
  test.each(rows)("NodesNotEqual: %s", (_what, one, other, expected) => expect(areSameNodes(one, other)).toBe(expected))

  test("more than twenty names are a number", () => {
    const many = Array.from({ length: 23 }, (_, at) => node({}, `n${at + 10}`))
    expect(nodeNames(many)).toMatch(/^\[n10 n11 .* n29 <3 more>\]$/)
  })
})

describe("PatchStatus", () => {
  const rows: readonly [string, object | undefined, object | undefined, boolean][] = [
    ["no-op add status", { ingress: [{ ip: "8.8.8.8" }] }, { ingress: [{ ip: "8.8.8.8", ipMode: "VIP" }] }, true],
    ["add status", undefined, { ingress: [{ ip: "8.8.8.8" }] }, false],
    ["no-op clear status", {}, undefined, true],
    ["clear status", { ingress: [{ ip: "8.8.8.8" }] }, {}, false],
    ["another mode", { ingress: [{ ip: "8.8.8.8" }] }, { ingress: [{ ip: "8.8.8.8", ipMode: "Proxy" }] }, false],
    ["a hostname has no mode", { ingress: [{ hostname: "a" }] }, { ingress: [{ hostname: "a" }] }, true],
  ]
  test.each(rows)("%s", (_what, one, other, expected) => expect(isSameStatus(one, other)).toBe(expected))
})
