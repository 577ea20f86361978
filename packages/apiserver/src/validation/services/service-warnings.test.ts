import { describe, expect, test } from "vitest"
import { warningHeader } from "../../response/response.ts"
import { testServer } from "../../testing/server.ts"

const services = "/api/v1/namespaces/default/services"
const ports = [{ port: 80 }]
const deprecatedAddresses = "spec.externalIPs is deprecated and may no longer be implemented in some clusters"

describe("what is let in and does not do what its writer may think is said", () => {
  test.each([
    ["nothing is strange about it", {}, []],
    [
      "it has no address of its own",
      { clusterIP: "None", loadBalancerIP: "192.0.2.1", externalIPs: ["192.0.2.2"], sessionAffinity: "ClientIP" },
      [
        "spec.loadBalancerIP is ignored for headless services",
        "spec.externalIPs is ignored for headless services",
        "spec.SessionAffinity is ignored for headless services",
      ],
    ],
    ["external addresses", { externalIPs: ["192.0.2.2"] }, [deprecatedAddresses]],
    [
      "addresses that are not written as usual",
      { type: "LoadBalancer", externalIPs: ["2001:DB8::1"], loadBalancerIP: "2001:db8:0::2", loadBalancerSourceRanges: ["2001:0db8::/32"] },
      [
        'spec.externalIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
        deprecatedAddresses,
        'spec.loadBalancerIP: IPv6 address "2001:db8:0::2" should be in RFC 5952 canonical format ("2001:db8::2")',
        'spec.loadBalancerSourceRanges[0]: IPv6 CIDR value "2001:0db8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
      ],
    ],
    [
      "an external name with addresses",
      { type: "ExternalName", externalName: "a.example", externalIPs: ["192.0.2.2"] },
      ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
    ],
    [
      "a name that DNS does not serve",
      { externalName: "a.example", trafficDistribution: "PreferClose" },
      [
        'spec.externalName is ignored when spec.type is not "ExternalName"',
        'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
      ],
    ],
  ])("%s", async (_what, spec, said) => {
    const api = testServer()
    const header = said.length === 0 ? undefined : warningHeader(said)
    const made = await api.post(services, { metadata: { name: "a" }, spec: { ports, ...spec } })
    expect({ status: made.status, warning: made.headers.warning }).toEqual({ status: 201, warning: header })
    const changed = await api.patch(`${services}/a`, "merge", { metadata: { labels: { a: "b" } } })
    expect(changed.headers.warning).toBe(header)
    const status = await api.patch(`${services}/a/status`, "merge", { metadata: { labels: { a: "c" } } })
    expect({ status: status.status, warning: status.headers.warning }).toEqual({ status: 200, warning: undefined })
  })

  test("the older of two annotations", async () => {
    const annotations = { "service.kubernetes.io/topology-aware-hints": "Auto" }
    const { headers } = await testServer().post(services, { metadata: { name: "a", annotations }, spec: { ports } })
    const words =
      "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead"
    expect(headers.warning).toBe(warningHeader([words]))
  })

  test("and nothing of what is refused", async () => {
    const { status, headers } = await testServer().post(services, { metadata: { name: "a" }, spec: { externalIPs: ["192.0.2.2"] } })
    expect({ status, warning: headers.warning }).toEqual({ status: 422, warning: undefined })
  })
})
