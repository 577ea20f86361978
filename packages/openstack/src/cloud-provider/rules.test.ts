import type { Service } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { testCloud } from "../embedded/testing/cloud.ts"
import { readCloudConf } from "./cloud-conf.ts"
import { openStackProvider } from "./load-balancers.ts"
import { ensured, nodeAt, prefix, providerWith, rows, type ServiceSetup, serviceWith } from "./testing/provider.ts"

const a = nodeAt("a", "192.168.0.10")
const b = nodeAt("b", "192.168.0.11")

function testTools() {
  return { cloud: openStack(testCloud()) }
}

type Made = Awaited<ReturnType<typeof ensured>>

const sourceRangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges"

const annotationRows: readonly (readonly [string, ServiceSetup, (made: Made) => unknown, unknown])[] = [
  ["connection-limit", { annotations: { "connection-limit": "7" } }, ({ listener }) => listener?.connection_limit, 7],
  ["no connection-limit", {}, ({ listener }) => listener?.connection_limit, -1],
  ["timeout-client-data", { annotations: { "timeout-client-data": "9" } }, ({ listener }) => listener?.timeout_client_data, 9],
  ["timeout-member-connect", { annotations: { "timeout-member-connect": "9" } }, ({ listener }) => listener?.timeout_member_connect, 9],
  ["timeout-member-data", { annotations: { "timeout-member-data": "9" } }, ({ listener }) => listener?.timeout_member_data, 9],
  ["timeout-tcp-inspect", { annotations: { "timeout-tcp-inspect": "9" } }, ({ listener }) => listener?.timeout_tcp_inspect, 9],
  [
    "no timeouts: upstream's",
    {},
    ({ listener }) => [
      listener?.timeout_client_data,
      listener?.timeout_member_connect,
      listener?.timeout_member_data,
      listener?.timeout_tcp_inspect,
    ],
    [50_000, 5000, 50_000, 0],
  ],
  ["lb-method", { annotations: { "lb-method": "SOURCE_IP" } }, ({ pool }) => pool?.lb_algorithm, "SOURCE_IP"],
  ["no lb-method", {}, ({ pool }) => pool?.lb_algorithm, "ROUND_ROBIN"],
  ["proxy-protocol true", { annotations: { "proxy-protocol": "true" } }, ({ pool }) => pool?.protocol, "PROXY"],
  ["proxy-protocol v1", { annotations: { "proxy-protocol": "v1" } }, ({ pool }) => pool?.protocol, "PROXY"],
  ["proxy-protocol v2", { annotations: { "proxy-protocol": "v2" } }, ({ pool }) => pool?.protocol, "PROXYV2"],
  [
    "proxy-protocol: pods must not answer directly",
    { annotations: { "proxy-protocol": "v2" } },
    ({ answer }) => answer.status.ingress?.[0]?.ipMode,
    "Proxy",
  ],
  [
    "x-forwarded-for forces HTTP",
    { annotations: { "x-forwarded-for": "true" } },
    ({ listener, pool }) => [listener?.protocol, pool?.protocol, listener?.insert_headers],
    ["HTTP", "HTTP", { "X-Forwarded-For": "true" }],
  ],
  [
    "default-tls-container-ref",
    { annotations: { "default-tls-container-ref": "http://barbican/1" } },
    ({ listener, pool }) => [listener?.protocol, listener?.default_tls_container_ref, pool?.protocol],
    ["TERMINATED_HTTPS", "http://barbican/1", "HTTP"],
  ],
  [
    "hostname",
    { annotations: { hostname: "web.example.org" } },
    ({ answer }) => answer.status,
    { ingress: [{ hostname: "web.example.org" }] },
  ],
  ["flavor-id", { annotations: { "flavor-id": "small" } }, ({ balancer }) => balancer?.flavor_id, "small"],
  ["availability-zone", { annotations: { "availability-zone": "z1" } }, ({ balancer }) => balancer?.availability_zone, "z1"],
  [
    "enable-health-monitor with its numbers",
    {
      annotations: {
        "enable-health-monitor": "true",
        "health-monitor-delay": "11",
        "health-monitor-timeout": "7",
        "health-monitor-max-retries": "4",
        "health-monitor-max-retries-down": "2",
      },
    },
    ({ monitor }) => [monitor?.type, monitor?.delay, monitor?.timeout, monitor?.max_retries, monitor?.max_retries_down],
    ["TCP", 11, 7, 4, 2],
  ],
  ["no health monitor unless asked for", {}, ({ monitor }) => monitor, undefined],
  [
    "externalTrafficPolicy Local: the health port of the nodes is asked",
    {
      annotations: { "enable-health-monitor": "true" },
      spec: { externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 },
    },
    ({ monitor, embedded }) => [
      monitor?.type,
      monitor?.url_path,
      embedded.octavia.members.where(() => true).map(({ monitor_port }) => monitor_port),
    ],
    ["HTTP", "/healthz", [31_000, 31_000]],
  ],
  [
    "UDP: a monitor of its own, and no TCP timeouts",
    {
      annotations: { "enable-health-monitor": "true", "timeout-client-data": "9" },
      spec: { ports: [{ port: 53, nodePort: 30_053, protocol: "UDP" }] },
    },
    ({ monitor, listener }) => [monitor?.type, listener?.protocol, listener?.timeout_client_data],
    ["UDP-CONNECT", "UDP", 50_000],
  ],
  ["sessionAffinity ClientIP", { spec: { sessionAffinity: "ClientIP" } }, ({ pool }) => pool?.session_persistence?.type, "SOURCE_IP"],
  [
    "source ranges of the spec",
    { spec: { loadBalancerSourceRanges: ["10.0.0.0/8"] } },
    ({ listener }) => listener?.allowed_cidrs,
    ["10.0.0.0/8"],
  ],
  [
    "source ranges of the annotation",
    { annotations: { [sourceRangesAnnotation]: "10.0.0.0/8, 192.168.0.0/16" } },
    ({ listener }) => listener?.allowed_cidrs,
    ["10.0.0.0/8", "192.168.0.0/16"],
  ],
  [
    "source ranges are masked, and each stands once",
    { spec: { loadBalancerSourceRanges: ["10.1.2.3/8", " 10.0.0.0/8", "FD00:0:0::1/64", "0:0::/0"] } },
    ({ listener }) => listener?.allowed_cidrs,
    ["10.0.0.0/8", "fd00::/64", "::/0"],
  ],
  [
    "an empty list of the spec does not hide the annotation",
    { spec: { loadBalancerSourceRanges: [] }, annotations: { [sourceRangesAnnotation]: "10.0.0.0/8" } },
    ({ listener }) => listener?.allowed_cidrs,
    ["10.0.0.0/8"],
  ],
  [
    "the spec before the annotation",
    { spec: { loadBalancerSourceRanges: ["10.0.0.0/8"] }, annotations: { [sourceRangesAnnotation]: "192.168.0.0/16" } },
    ({ listener }) => listener?.allowed_cidrs,
    ["10.0.0.0/8"],
  ],
  [
    "a blank annotation: all sources",
    { annotations: { [sourceRangesAnnotation]: "  " } },
    ({ listener }) => listener?.allowed_cidrs,
    ["0.0.0.0/0"],
  ],
  ["no source ranges: all sources", {}, ({ listener }) => listener?.allowed_cidrs, ["0.0.0.0/0"]],
  ["a port without a node port has no member", { spec: { ports: [{ port: 80, protocol: "TCP" }] } }, ({ members }) => members, []],
  ["members are the nodes at their node port", {}, ({ members }) => members, ["a 192.168.0.10:30080", "b 192.168.0.11:30080"]],
]

describe("what a Service asks for", () => {
  test.each(annotationRows)("%s", async (_, setup, found, expected) => {
    await using made = await ensured(setup)
    expect(found(made)).toEqual(expected)
  })

  test.each<readonly [string, ServiceSetup, RegExp]>([
    ["spec: no range", { spec: { loadBalancerSourceRanges: ["all"] } }, /^service\.Spec\.LoadBalancerSourceRanges: \[all\] is not valid\./],
    ["spec: an address", { spec: { loadBalancerSourceRanges: ["10.0.0.1"] } }, /LoadBalancerSourceRanges: \[10\.0\.0\.1\] is not valid\./],
    [
      "annotation: one is missing",
      { annotations: { [sourceRangesAnnotation]: "10.0.0.0/8,," } },
      /source-ranges: 10\.0\.0\.0\/8,, is not valid\./,
    ],
  ])("source ranges that are none are refused, %s", async (_, setup, message) => {
    await expect(ensured(setup)).rejects.toThrow(message)
  })

  test("its balancer's id and address are written on it", async () => {
    await using made = await ensured({})
    expect(made.answer.annotations).toEqual({
      [`${prefix}load-balancer-id`]: made.balancer?.id,
      [`${prefix}load-balancer-address`]: made.floating[0]?.floating_ip_address,
    })
  })

  test("externalTrafficPolicy Local without a monitor loses connections: a notice says so", async () => {
    await using made = await ensured({ spec: { externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 } })
    expect(made.answer.notices).toMatchObject([{ type: "Warning", reason: "HealthMonitorMissing" }])
    await using fine = await ensured({ annotations: { "enable-health-monitor": "true" }, spec: { externalTrafficPolicy: "Local" } })
    expect(fine.answer.notices).toEqual([])
  })

  test("nodes are chosen by label, InternalIP before ExternalIP, and none without an address", async () => {
    await using stage = providerWith()
    const service = serviceWith({ annotations: { "node-selector": "role=web" } })
    const labels = { role: "web" }
    const nodes = [a, nodeAt("c", "192.168.0.12", labels), nodeAt("d", "203.0.113.4", labels, "ExternalIP"), nodeAt("e", "fd00::1", labels)]
    await stage.balancers.ensure(service, nodes, stage.signal)
    expect(rows(stage).members).toEqual(["c 192.168.0.12:30080", "d 203.0.113.4:30080"])
  })

  test("the first of its families decides which addresses are members", async () => {
    await using stage = providerWith()
    const nodes = [a, nodeAt("six", "fd00::1")]
    await stage.balancers.ensure(serviceWith({ spec: { ipFamilies: ["IPv6"] } }), nodes, stage.signal)
    expect(rows(stage).members).toEqual(["six fd00::1:30080"])
    expect([rows(stage).floating, rows(stage).listener?.allowed_cidrs]).toEqual([[], ["::/0"]])
  })

  test("a changed annotation changes what is there: the method, the protocol of the pool, the monitor", async () => {
    await using stage = providerWith()
    await stage.balancers.ensure(serviceWith(), [a], stage.signal)
    const before = rows(stage)
    await stage.balancers.ensure(serviceWith({ annotations: { "lb-method": "LEAST_CONNECTIONS" } }), [a], stage.signal)
    expect(rows(stage).pool).toMatchObject({ id: before.pool?.id, lb_algorithm: "LEAST_CONNECTIONS" })
    await stage.balancers.ensure(
      serviceWith({ annotations: { "proxy-protocol": "v2", "enable-health-monitor": "true" } }),
      [a],
      stage.signal,
    )
    expect(rows(stage)).toMatchObject({ balancer: { id: before.balancer?.id }, pool: { protocol: "PROXYV2" }, monitor: { type: "TCP" } })
    expect(rows(stage).pool?.id).not.toBe(before.pool?.id)
    await stage.balancers.ensure(serviceWith(), [a], stage.signal)
    expect(rows(stage).monitor).toBeUndefined()
  })
})

describe("node changes", () => {
  test("change members and nothing else, in one call for each pool that differs", async () => {
    await using stage = providerWith()
    const service = serviceWith({ annotations: { "lb-method": "SOURCE_IP" } })
    await stage.balancers.ensure(service, [a], stage.signal)
    const from = stage.embedded.calls.length
    await stage.balancers.update(serviceWith(), [a, b], stage.signal)
    const writes = stage.embedded.calls.slice(from).filter(({ verb }) => verb !== "GET")
    expect(writes.map(({ verb, path }) => `${verb} ${path}`)).toEqual([`PUT /v2/lbaas/pools/${rows(stage).pool?.id}/members`])
    expect(rows(stage).pool?.lb_algorithm).toBe("SOURCE_IP")
  })
})

test("refuses to choose among several balancers of its name", async () => {
  await using stage = providerWith()
  const service: Service = serviceWith()
  for (let at = 0; at < 2; at++)
    await stage.cloud.octavia.loadBalancers.create({ name: stage.balancers.name(service), vip_subnet_id: stage.embedded.seed.nodeSubnet })
  await expect(stage.balancers.ensure(service, [a], stage.signal)).rejects.toThrow(/expected one load balancer .*, found 2/)
})

test("with [LoadBalancer] enabled = false the provider has no load balancers", () => {
  const { cloud } = testTools()
  expect(openStackProvider({ cloud, settings: readCloudConf("[LoadBalancer]\nenabled = false\n") }).loadBalancers).toBeUndefined()
  expect(openStackProvider({ cloud, settings: readCloudConf("[LoadBalancer]\nenabled = true\n") }).loadBalancers).toBeDefined()
})

test("cloud.conf of cloud-provider-openstack is taken as it is", () => {
  const text = `
[Global]
auth-url = http://127.0.0.1:5000
[LoadBalancer]
lb-provider = "ovn"
lb-method = SOURCE_IP_PORT
subnet-id = s
floating-network-id = f
floating-subnet = "dmz-*"
create-monitor = true
monitor-delay = 10s
monitor-max-retries = 2
manage-security-groups = true
internal-lb = false
max-shared-lb = 4
enable-ingress-hostname = true
ingress-hostname-suffix = example.org
node-selector = role=web
[LoadBalancerClass "dmz"]
floating-subnet-tags = "&a,b"
`
  expect(readCloudConf(text)).toMatchObject({
    provider: "ovn",
    method: "SOURCE_IP_PORT",
    subnetId: "s",
    floatingNetworkId: "f",
    floatingSubnet: "dmz-*",
    createMonitor: true,
    monitor: { delay: 10, maxRetries: 2 },
    manageSecurityGroups: true,
    internal: false,
    maxSharedBalancers: 4,
    enableIngressHostname: true,
    ingressHostnameSuffix: "example.org",
    nodeSelector: "role=web",
    classes: { dmz: { floatingSubnetTags: "&a,b" } },
  })
})
