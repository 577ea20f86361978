import { expect, test } from "vitest"
import { desiredRules } from "./security-group.ts"
import { nodeAt, providerWith, serviceWith, type TestProvider } from "./testing/provider.ts"

const a = nodeAt("a", "192.168.0.10")
const b = nodeAt("b", "192.168.0.11")

async function withNodes(): Promise<TestProvider> {
  const stage = providerWith(() => ({ manageSecurityGroups: true }))
  const { nodeNetwork: network_id, nodeSubnet: subnet_id } = stage.embedded.seed
  const port = (name: string, ip_address: string, more = {}) =>
    stage.cloud.neutron.ports.create({ name, network_id, fixed_ips: [{ subnet_id, ip_address }], ...more })
  await port("a", "192.168.0.10")
  await port("b", "192.168.0.11")
  await port("c", "192.168.0.12", { port_security_enabled: false })
  return stage
}

function guarded({ embedded: { neutron } }: TestProvider) {
  const group = [...neutron.securityGroups.values()].find(({ name }) => name.startsWith("lb-sg-"))
  const rules = [...neutron.rules.values()].filter((rule) => rule.security_group_id === group?.id && rule.direction === "ingress")
  return {
    name: group?.name,
    rules: rules.map((rule) => `${rule.protocol} ${rule.port_range_min} ${rule.remote_ip_prefix}`),
    ports: [...neutron.ports.values()].filter((port) => group && port.security_groups.includes(group.id)).map(({ name }) => name),
  }
}

test("manage-security-groups: the node ports are open to the members' subnet, on the ports of the members; all of it goes with the Service", async () => {
  await using stage = await withNodes()
  const service = serviceWith()
  const name = `lb-sg-${service.metadata.uid}-default-web`
  const c = nodeAt("c", "192.168.0.12")
  await stage.balancers.ensure(service, [a, c], stage.signal)
  expect(guarded(stage)).toEqual({ name, rules: ["tcp 30080 192.168.0.0/24"], ports: ["a"] })
  const before = stage.embedded.writes
  expect(await stage.balancers.ensure(service, [a, c], stage.signal)).toMatchObject({ changed: false })
  expect(stage.embedded.writes).toBe(before)
  await stage.balancers.update(service, [b], stage.signal)
  expect(guarded(stage).ports).toEqual(["b"])
  const moved = serviceWith({ spec: { ports: [{ port: 18_080, nodePort: 30_081, protocol: "TCP" }] } })
  await stage.balancers.ensure(moved, [b], stage.signal)
  expect(guarded(stage).rules).toEqual(["tcp 30081 192.168.0.0/24"])
  await stage.balancers.ensureDeleted(moved, stage.signal)
  expect(guarded(stage)).toEqual({ name: undefined, rules: [], ports: [] })
})

test("without manage-security-groups no groups are changed", async () => {
  await using stage = providerWith()
  await stage.balancers.ensure(serviceWith(), [a], stage.signal)
  expect(guarded(stage).name).toBeUndefined()
})

test("OVN leaves clients their addresses: the source ranges are let in; the health port is asked from the members' subnet", () => {
  const spec = { loadBalancerSourceRanges: ["203.0.113.0/24"], healthCheckNodePort: 31_000 }
  const short = (provider?: string) =>
    desiredRules(serviceWith({ spec }), "10.0.0.0/24", provider).map(
      (rule) => `${rule.protocol} ${rule.port_range_min} ${rule.remote_ip_prefix}`,
    )
  expect(short("ovn")).toEqual(["tcp 30080 203.0.113.0/24", "tcp 31000 10.0.0.0/24"])
  expect(short()).toEqual(["tcp 30080 10.0.0.0/24", "tcp 31000 10.0.0.0/24"])
})
