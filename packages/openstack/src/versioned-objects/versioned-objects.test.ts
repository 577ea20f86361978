import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { decodeServiceSpec, decodeState, decodeVif, encodeServiceSpec, encodeState, encodeVif } from "./annotations.ts"
import type { LBaaSServiceSpec } from "./objects.ts"
import { pythonJson } from "./python-json.ts"
import { bridgedVif, macvlanVif, type PortSurroundings, vlanVif } from "./vif-from-port.ts"

interface Fixture {
  readonly annotation: string
  readonly given?: PortSurroundings & { readonly port: Parameters<typeof macvlanVif>[0]; readonly vlan_id?: number }
  readonly text: string
}

const folder = join(import.meta.dirname, "test-fixtures")
const fixtures = readdirSync(folder).map((file) => {
  return { name: file.replace(".json", ""), ...(JSON.parse(readFileSync(join(folder, file), "utf8")) as Fixture) }
})
const named = (name: string) => fixtures.find((fixture) => fixture.name === name)!

const codecs: Readonly<Record<string, { readonly again: (text: string) => string }>> = {
  "openstack.org/kuryr-vif": { again: (text) => encodeVif(decodeVif(text)) },
  "openstack.org/kuryr-lbaas-spec": { again: (text) => encodeServiceSpec(decodeServiceSpec(text)) },
  "openstack.org/kuryr-lbaas-state": { again: (text) => encodeState(decodeState(text)) },
}

/** What is written is what Python wrote, but for the record of changes, which is not written, and versions that an older reader understands too. */
const older: Readonly<Record<string, (text: string) => string>> = {
  "live-lbaas-state": (text) => text.replaceAll('"versioned_object.changes": ["id"], ', ""),
  "later-lbaas-state": (text) =>
    text
      .replace(/("name": "LBaaSPool".*?"versioned_object.version": )"1.1"/, '$1"1.0"')
      .replace(/(LBaaSPool", "versioned_object.namespace": "kuryr_kubernetes", "versioned_object.version": )"1.1"/, '$1"1.0"'),
}

describe("objects that Python wrote", () => {
  test.each(fixtures.filter(({ name }) => name !== "later-pod-state"))(
    "$name is read, and written again byte for byte",
    ({ name, annotation, text }) => {
      expect(codecs[annotation]!.again(text)).toBe(older[name]?.(text) ?? text)
    },
  )

  test("a PodState of later versions is read as its default VIF, and written as that", () => {
    expect(encodeVif(decodeVif(named("later-pod-state").text))).toBe(named("vif-ovs-active").text)
  })

  test.each(["vif-ovs", "vif-ovs-active", "vif-ovs-bare", "vif-ovs-hybrid"])("%s is made from its port byte for byte", (name) => {
    const { given, text } = named(name)
    expect(encodeVif(bridgedVif(given!.port, given!))).toBe(text)
  })

  test("nested VIFs are made from their ports byte for byte", () => {
    const [vlan, macvlan] = [named("vif-vlan-nested"), named("vif-macvlan-nested")]
    expect(encodeVif(vlanVif(vlan.given!.port, vlan.given!, vlan.given!.vlan_id!))).toBe(vlan.text)
    expect(encodeVif(macvlanVif(macvlan.given!.port, macvlan.given!))).toBe(macvlan.text)
  })
})

describe("what a later version added", () => {
  test("is read", () => {
    expect(decodeServiceSpec(named("later-lbaas-spec").text)).toMatchObject({
      type: "LoadBalancer",
      lb_ip: "172.24.4.77",
      ports: [{ targetPort: "8080" }],
    })
    expect(decodeState(named("later-lbaas-state").text).loadbalancer).toMatchObject({ provider: "amphora" })
  })

  test("makes the version that is written only as new as needed", () => {
    const spec: LBaaSServiceSpec = {
      ip: null,
      ports: [{ name: null, protocol: "TCP", port: 1 }],
      project_id: null,
      subnet_id: null,
      security_groups_ids: [],
    }
    expect(encodeServiceSpec(spec)).toContain(
      '"LBaaSPortSpec", "versioned_object.namespace": "kuryr_kubernetes", "versioned_object.version": "1.0"',
    )
    const newer = { ...spec, ports: [{ ...spec.ports[0]!, targetPort: "80" }] }
    expect(encodeServiceSpec(newer)).toContain(
      '"LBaaSPortSpec", "versioned_object.namespace": "kuryr_kubernetes", "versioned_object.version": "1.1"',
    )
  })
})

describe("what is not understood is refused", () => {
  const spec = named("lbaas-spec").text
  test.each([
    ["another name", spec.replace("LBaaSServiceSpec", "LBaaSUnknown"), /named LBaaSServiceSpec.*found "LBaaSUnknown"/],
    ["another namespace", spec.replaceAll("kuryr_kubernetes", "nova"), /namespace kuryr_kubernetes/],
    ["a newer major version", spec.replaceAll('"1.0"', '"2.0"'), /version 1\.x.*found "2.0"/],
    ["no JSON", "{", /as JSON/],
    ["no object", "[]", /an object/],
    ["a field of another type", spec.replace('"port": 82', '"port": "82"'), /integer at LBaaSPortSpec\.port, found "82"/],
    ["a missing field", spec.replace('"port": 82, ', ""), /LBaaSPortSpec\.port, found nothing/],
  ])("%s", (_, text, message) => {
    expect(() => decodeServiceSpec(text)).toThrow(message)
  })

  test("a later minor version is read, and unknown fields are left out", () => {
    const later = spec.replaceAll('"1.0"', '"1.9"').replace('"port": 82', '"port": 82, "weight": 3')
    expect(decodeServiceSpec(later)).toEqual(decodeServiceSpec(spec))
  })
})

test("text is escaped as Python escapes it", () => {
  expect(pythonJson({ b: 'ü"\\\u0001\u007f\n😀', a: [1, null, true, {}] })).toBe(
    String.raw`{"a": [1, null, true, {}], "b": "\u00fc\"\\\u0001\u007f\n\ud83d\ude00"}`,
  )
})
