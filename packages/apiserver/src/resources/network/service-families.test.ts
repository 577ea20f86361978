import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"

const services = "/api/v1/namespaces/default/services"
const ports = [{ port: 80 }]
const service = (spec: object) => ({ metadata: { name: "a" }, spec: { ports, ...spec } })

// `npm run test:real -- apply` holds more of them beside a real server.
describe("IP families of a Service", () => {
  test.each<[title: string, spec: object, policy: string, families: readonly string[]]>([
    ["with an address", {}, "SingleStack", ["IPv4"]],
    ["that prefers both, on a cluster of one", { ipFamilyPolicy: "PreferDualStack" }, "PreferDualStack", ["IPv4"]],
    ["headless with a selector", { clusterIP: "None", selector: { a: "b" } }, "SingleStack", ["IPv4"]],
    ["headless without a selector", { clusterIP: "None" }, "RequireDualStack", ["IPv4", "IPv6"]],
    ["headless without a selector, IPv6 first", { clusterIP: "None", ipFamilies: ["IPv6"] }, "RequireDualStack", ["IPv6", "IPv4"]],
    ["headless without a selector, of one", { clusterIP: "None", ipFamilyPolicy: "SingleStack" }, "SingleStack", ["IPv4"]],
  ])("%s", async (_title, spec, ipFamilyPolicy, ipFamilies) => {
    expect(objectIn(await testServer().post(services, service(spec)), 201).spec).toMatchObject({ ipFamilyPolicy, ipFamilies })
  })

  test.each<[title: string, spec: object, message: string]>([
    [
      "both are required",
      { ipFamilyPolicy: "RequireDualStack" },
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
    ["IPv6 is", { ipFamilies: ["IPv6"] }, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    [
      "the address is of IPv6",
      { clusterIP: "2001:db8::1" },
      'spec.clusterIPs[0]: Invalid value: ["2001:db8::1"]: IPv6 is not configured on this cluster',
    ],
    [
      "one policy stands beside two families",
      { clusterIP: "None", ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4", "IPv6"] },
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ],
    [
      "the list of addresses stands alone",
      { clusterIPs: ["10.0.3.3"] },
      'spec.clusterIPs: Invalid value: ["10.0.3.3"]: must be empty when `clusterIP` is not specified',
    ],
  ])("is refused where %s", async (_title, spec, message) => {
    expect(statusIn(await testServer().post(services, service(spec)))).toMatchObject({
      code: 422,
      message: `Service "a" is invalid: ${message}`,
    })
  })

  test("a second family goes only with the policy for one", async () => {
    const api = testServer()
    objectIn(await api.post(services, service({ clusterIP: "None" })), 201)
    expect(statusIn(await api.patch(`${services}/a`, "merge", { spec: { ipFamilies: ["IPv4"] } })).message).toContain(
      "must be 'SingleStack' to release the secondary IP family",
    )
    const single = objectIn(await api.patch(`${services}/a`, "merge", { spec: { ipFamilyPolicy: "SingleStack" } }))
    expect(single.spec).toMatchObject({ ipFamilies: ["IPv4"] })
  })

  test("a write of the status that creates a Service fills in neither addresses nor families", async () => {
    const api = testServer()
    const half = { apiVersion: "v1", kind: "Service", ...service({ clusterIP: "None" }) }
    expect(statusIn(await api.put(`${services}/a/status`, half)).message).toBe('Service "a" is invalid: spec.clusterIPs: Required value')
    const whole = { ...half, spec: { ...half.spec, clusterIPs: ["None"] } }
    expect(objectIn(await api.put(`${services}/a/status`, whole), 201).spec).not.toHaveProperty("ipFamilies")
    const later = objectIn(await api.patch(`${services}/a`, "merge", { metadata: { labels: { a: "b" } } }))
    expect(later.spec).toMatchObject({ ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" })
  })
})
