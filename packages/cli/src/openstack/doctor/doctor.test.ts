import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Service } from "@pilothouse/api/core/v1"
import { openStack, specAnnotation } from "@pilothouse/openstack"
import { createClient } from "@pilothouse/runtime"
import { PilothouseError, type Transport, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { type Finding, formatFindings } from "../../doctor/check.ts"
import { testCloud } from "../testing/cloud.ts"
import { checkGroups, checkOwners, examine } from "./doctor.ts"
import { checkNetworks } from "./network-checks.ts"

type Stage = ReturnType<typeof testCloud>

function problems(findings: readonly Finding[]): readonly string[] {
  return findings.filter(({ state }) => state === "problem").map(({ what }) => what)
}

async function examined(stage: Stage): Promise<readonly Finding[]> {
  return (await stage.clock.run(examine(stage))) as unknown as readonly Finding[]
}

test("a cloud without problems has no findings", async () => {
  const findings = await examine(testCloud())
  expect(problems(findings)).toEqual([])
  expect(findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining(["credentials", "catalog: network", "catalog: load-balancer", "Octavia", "pod_subnet", "router", "quota: port"]),
  )
})

test.each<[name: string, transport: Transport, advice: string]>([
  ["no answer", () => Promise.reject(new PilothouseError("CONNECTION_LOST", "nothing listens there")), "compare auth_url with"],
  ["another server answers", () => Promise.resolve({ status: 404, headers: {}, body: valueBody({}) }), "compare auth_url with"],
  ["Keystone refuses", () => Promise.resolve({ status: 401, headers: {}, body: valueBody({}) }), "compare user, password, project and"],
  ["Keystone fails", () => Promise.resolve({ status: 500, headers: {}, body: valueBody({}) }), "compare auth_url, user, password and"],
])("a login at which %s: the advice fits", async (_name, transport, advice) => {
  const stage = testCloud()
  const cloud = openStack({ access: stage.embedded.access(), connect: () => transport, clock: stage.clock, retries: 0 })
  const [finding] = await examine({ ...stage, cloud })
  expect(finding?.advice).toMatch(new RegExp(`^${advice}`))
})

test("options without effect are noted: unknown ones, and all but the last of several", async () => {
  const findings = await examine({ ...testCloud({ ovs_brigde: "br-int" }), repeated: ["[neutron_defaults] pod_subnet"] })
  expect(findings.filter(({ what }) => what === "options")).toMatchObject([
    { state: "note", found: "means nothing here: [neutron_defaults] ovs_brigde; did you mean ovs_bridge?" },
    { state: "note", found: "[neutron_defaults] pod_subnet stands there more than once" },
  ])
  expect(problems(findings)).toEqual([])
})

test("a handler of later versions of kuryr, with which no process starts, is a problem", async () => {
  const stage = testCloud()
  const configuration = { ...stage.configuration, enabledHandlers: ["vif", "kuryrport", "policy"] }
  const [finding] = await examine({ ...stage, configuration })
  expect(finding).toMatchObject({
    what: "enabled_handlers",
    state: "problem",
    found: "there is no handler kuryrport, policy",
    advice: "remove what is not among vif, lbaasspec, lb",
  })
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
  expect(formatFindings(findings)).toMatch(
    /1 problem found\. 12 checks were not made: project, catalog, Neutron, Octavia, subnets, .*owners of load balancers\.\n$/,
  )
})

const offline: Transport = () => Promise.reject(new PilothouseError("CONNECTION_LOST", "nothing listens there"))
const ofCluster = ["cluster IPs", "ports of Services", "owners of load balancers"]

test("a cluster that was named and cannot be read is a problem, and what was not compared is in the last line", async () => {
  const stage = testCloud()
  const findings = await examine({ ...stage, client: createClient(offline), server: "https://dead:6443" })
  expect(problems(findings)).toEqual(["cluster"])
  const cluster = findings.find(({ what }) => what === "cluster")
  expect(cluster).toMatchObject({ found: "https://dead:6443 cannot be read: nothing listens there", notMade: ofCluster })
  expect(cluster?.advice).toContain("--kubeconfig")
  expect(formatFindings(findings)).toContain(`1 problem found. 3 checks were not made: ${ofCluster.join(", ")}.`)
  expect(findings.find(({ what }) => what === "pod_security_groups")?.found).toBe("pods: load balancers reach port 80 of pods")
})

test("where no cluster was named that is a note, and the last line says what was not compared", async () => {
  const findings = await examine(testCloud())
  expect(findings.find(({ what }) => what === "cluster")).toMatchObject({ state: "note", notMade: ofCluster })
  expect(formatFindings(findings)).toContain(`Nothing wrong was found, but 3 checks were not made: ${ofCluster.join(", ")}.`)
})

test("Leases that cannot be read are a problem: it is unknown then whether there are two owners", async () => {
  const list = { apiVersion: "v1", kind: "ServiceList", metadata: {}, items: [] }
  const transport: Transport = (request) =>
    request.path === "/api/v1/services"
      ? Promise.resolve({ status: 200, headers: { "content-type": "application/json" }, body: valueBody(list) })
      : offline(request)
  const findings = await examine({ ...testCloud(), client: createClient(transport) })
  expect(problems(findings)).toEqual(["owners of load balancers"])
  expect(formatFindings(findings)).toContain("1 problem found. 1 check was not made: owners of load balancers.")
})

test("a subnet that is not there leaves the router and the addresses on it unchecked, and says so", async () => {
  const text = formatFindings(await examine(testCloud({ service_subnet: "nowhere" })))
  expect(text).toMatch(/1 problem found\. 4 checks were not made: router, cluster IPs, ports of Services, owners of load balancers\.\n$/)
})

test("the kuryr.conf that a stopped `up --openstack` left behind is reported as such, not as wrong credentials", async () => {
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
  ["a security group that is not there", { pod_security_groups: "absent" }, "pod_security_groups"],
  ["an external network that is not there", { external_svc_net: "nowhere" }, "external_svc_net"],
])("%s is named, with what to do", async (_name, options, what) => {
  const findings = await examine(testCloud(options))
  expect(problems(findings)).toContain(what)
  expect(findings.filter(({ state }) => state === "problem").every(({ advice }) => advice !== undefined)).toBe(true)
})

test("without its groups it is unknown whether the ports of Services are reached", async () => {
  const [found] = await checkGroups(testCloud({ pod_security_groups: "absent" }), [])
  expect(found).toMatchObject({ state: "problem", notMade: ["ports of Services"] })
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

test("addresses of Services outside their subnet, or in its allocation pool, are reported", async () => {
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

test("a Neutron that is away is one problem, and what would be asked of it is named as not asked", async () => {
  const stage = testCloud()
  stage.embedded.fault = ({ service }) => (service === "neutron" ? { status: 503 } : undefined)
  const found = await examined(stage)
  expect(problems(found)).toEqual(["Neutron"])
  expect(formatFindings(found)).toMatch(
    /1 problem found\. 8 checks were not made: subnets, router, external_svc_net, pod_security_groups, quotas, /,
  )
})

test("extensions that may not be listed do not keep the subnets from being looked at", async () => {
  const stage = testCloud()
  stage.embedded.fault = ({ path }) => (path.endsWith("/extensions") ? { status: 403 } : undefined)
  const found = await examined(stage)
  expect(problems(found)).toEqual(["Neutron"])
  expect(found.find(({ what }) => what === "pod_subnet")).toMatchObject({ state: "ok" })
})

test("a region that is not there is reported once for each service, with where to see what there is", async () => {
  const stage = testCloud()
  const access = { ...stage.embedded.access(), region: "nowhere" }
  const cloud = openStack({ access, connect: stage.embedded.connect, clock: stage.clock })
  const found = await examine({ ...stage, cloud })
  expect(problems(found)).toEqual(["catalog: network", "catalog: load-balancer"])
  expect(found.find(({ what }) => what === "catalog: network")?.advice).toContain("`openstack catalog show network` has what there is")
})

test("a cloud without Octavia is fine where neutron-lbaas is used", async () => {
  const stage = testCloud()
  const access = stage.embedded.access()
  const cloud = openStack({ access, connect: stage.embedded.connect, clock: stage.clock, loadBalancing: "neutron-lbaas" })
  expect((await examine({ ...stage, cloud })).map(({ what }) => what)).not.toContain("catalog: load-balancer")
})

test.each([
  ["pod_subnet", "pods", /^there is no subnet pods \(that is the name of \S+\)$/],
  ["pod_security_groups", "pods", /^there is no security group pods \(that is the name of \S+\)$/],
  ["external_svc_net", "public", /^there is no network public \(that is the name of \S+\)$/],
])("%s with a name where an ID is wanted: whose name it is", async (option, name, says) => {
  const findings = await examine(testCloud({ [option]: name }))
  expect(findings.find(({ what }) => what === option)?.found).toMatch(says)
})
