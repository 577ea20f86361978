import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Service } from "@pilothouse/api/core/v1"
import { openStack, specAnnotation } from "@pilothouse/openstack"
import { PilothouseError } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Finding } from "../../doctor/check.ts"
import { testCloud } from "../test-cloud.ts"
import { examine } from "./doctor.ts"
import { checkGroups, checkNetworks } from "./network-checks.ts"
import { checkOwners } from "./owner-checks.ts"

type Stage = ReturnType<typeof testCloud>

function problems(findings: readonly Finding[]): readonly string[] {
  return findings.filter(({ state }) => state === "problem").map(({ what }) => what)
}

async function examined(stage: Stage): Promise<readonly Finding[]> {
  return (await stage.clock.run(examine(stage))) as unknown as readonly Finding[]
}

test("a cloud that is as it should be has no problem", async () => {
  const findings = await examine(testCloud())
  expect(problems(findings)).toEqual([])
  expect(findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining(["credentials", "catalog: network", "catalog: load-balancer", "Octavia", "pod_subnet", "router", "quota: port"]),
  )
})

test("without credentials nothing else is asked", async () => {
  const stage = testCloud()
  const access = stage.embedded.access()
  const cloud = openStack({
    access: { ...access, credentials: { ...access.credentials, password: "wrong" } as never },
    connect: stage.embedded.connect,
    clock: stage.clock,
  })
  const findings = await examine({ ...stage, cloud })
  expect(findings).toMatchObject([{ what: "credentials", state: "problem", advice: expect.stringContaining("openstack token issue") }])
})

test("the kuryr.conf that a stopped `up --openstack` left behind is told as such, not as wrong credentials", async () => {
  const stage = testCloud()
  const dead = () => () => Promise.reject(new PilothouseError("CONNECTION_LOST", "nothing listens there"))
  const cloud = openStack({ access: stage.embedded.access(), connect: dead, clock: stage.clock, retries: 0 })
  const findings = await examine({ ...stage, cloud, foundHere: ".pilothouse/kuryr.conf" })
  expect(findings).toMatchObject([{ what: "credentials", state: "problem", advice: expect.stringContaining("start it again") }])
  expect(findings[0]?.found).toContain(".pilothouse/kuryr.conf leads to the cloud of an `up --openstack` that no longer runs")
})

test.each<[name: string, options: Record<string, string>, problem: string]>([
  ["a pod subnet that is not there", { pod_subnet: "nowhere" }, "pod_subnet"],
  ["a service subnet that is not there", { service_subnet: "nowhere" }, "service_subnet"],
  ["a security group that is not there", { pod_security_groups: "nobody" }, "pod_security_groups"],
  ["an external network that is not there", { external_svc_net: "nowhere" }, "external_svc_net"],
])("%s is named, with what to do", async (_name, options, what) => {
  const findings = await examine(testCloud(options))
  expect(problems(findings)).toContain(what)
  expect(findings.filter(({ state }) => state === "problem").every(({ advice }) => advice !== undefined)).toBe(true)
})

test("an external network that is none is named", async () => {
  const { embedded } = testCloud()
  expect(problems(await examine(testCloud({ external_svc_net: embedded.seed.podNetwork })))).toContain("external_svc_net")
})

test("a quota that is used up is a problem, one that is nearly so a note", async () => {
  const stage = testCloud()
  const { used } = (await stage.cloud.neutron.quota(stage.embedded.seed.project)).port!
  await stage.cloud.neutron.setQuota(stage.embedded.seed.project, { port: used, floatingip: 3 })
  const findings = await examine(stage)
  expect(findings.find(({ what }) => what === "quota: port")).toMatchObject({ state: "problem", found: `0 of ${used} left` })
  expect(findings.find(({ what }) => what === "quota: floatingip")).toMatchObject({ state: "note", found: "3 of 3 left" })
  const advice = (resource: string) => findings.find(({ what }) => what === `quota: ${resource}`)?.advice
  expect(advice("port")).toContain(`have it raised: openstack quota set --ports N ${stage.embedded.seed.project}`)
  expect(advice("floatingip")).toContain(`have it raised: openstack quota set --floating-ips N ${stage.embedded.seed.project}`)
})

const web = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: {}, clusterIP: "10.96.3.3", ports: [{ port: 80, targetPort: 8080 }] },
}

test("a group that does not admit the balancers' subnet: the missing rule is spelt out", async () => {
  const stage = testCloud()
  const group = await stage.cloud.neutron.securityGroups.create({ name: "tight" })
  const configuration = { ...stage.configuration, podSecurityGroups: [group.id] }
  const [found] = await checkGroups({ ...stage, configuration }, [web as Service])
  expect(found).toMatchObject({ state: "problem", found: expect.stringContaining("no rule lets 10.96.0.0/11 reach tcp 8080") })
  expect(found?.advice).toBe(
    `\`openstack security group rule create --ingress --protocol tcp --dst-port 8080 --remote-ip 10.96.0.0/11 ${group.id}\``,
  )
  const rule = { security_group_id: group.id, direction: "ingress", protocol: "tcp", port_range_min: 8000, port_range_max: 9000 } as const
  await stage.cloud.neutron.securityGroupRules.create({ ...rule, remote_ip_prefix: "10.0.0.0/8" })
  expect(problems(await checkGroups({ ...stage, configuration }, [web as Service]))).toEqual([])
})

test("addresses of Services outside their subnet, or in its allocation pool, are told", async () => {
  const outside = { ...web, spec: { ...web.spec, clusterIP: "10.20.0.9" } } as Service
  expect(problems(await checkNetworks(testCloud(), [outside]))).toEqual(["cluster IPs"])
  const pooled = { ...web, spec: { ...web.spec, clusterIP: "10.112.0.9" } } as Service
  const found = await checkNetworks(testCloud(), [pooled])
  expect(found.find(({ what }) => what === "cluster IPs")).toMatchObject({ state: "note" })
})

test("no router between pods and Services is a problem, unless members are reached in mode L2", async () => {
  const stage = testCloud()
  await stage.cloud.neutron.routers.removeInterface(stage.embedded.seed.router, stage.configuration.serviceSubnet)
  expect(problems(await checkNetworks(stage, []))).toEqual(["router"])
  expect(problems(await checkNetworks({ ...stage, configuration: { ...stage.configuration, memberMode: "L2" } }, []))).toEqual([])
})

const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: "someone" } }) as Lease
const served = {
  ...web,
  metadata: { ...web.metadata, annotations: { [specAnnotation]: "{}" } },
  spec: { ...web.spec, type: "LoadBalancer" },
} as Service

test.each<[name: string, found: Partial<Parameters<typeof checkOwners>[0]>, state: Finding["state"]]>([
  ["the handlers alone", { services: [served], leases: [lease("kuryr-controller")] }, "ok"],
  ["a cloud controller alone", { leases: [lease("cloud-controller-manager")] }, "note"],
  ["both hold a Lease", { leases: [lease("cloud-controller-manager"), lease("kuryr-controller")] }, "problem"],
  ["both have made a tree", { services: [served], balancers: ["default/web", "kube_service_kubernetes_default_web"] }, "problem"],
  ["a tree of another Service", { services: [served], balancers: ["kube_service_kubernetes_other_web"] }, "ok"],
])("one owner per load balancer: %s", (_name, found, state) => {
  expect(checkOwners({ services: [], leases: [], balancers: [], ...found }).state).toBe(state)
})

test("a service that is away is named and does not hide the others", async () => {
  const stage = testCloud()
  stage.embedded.fault = ({ service }) => (service === "octavia" ? { status: 503 } : undefined)
  const found = await examined(stage)
  expect(problems(found)).toEqual(expect.arrayContaining(["Octavia"]))
  expect(found.find(({ what }) => what === "pod_subnet")).toMatchObject({ state: "ok" })
})
