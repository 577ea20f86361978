import { type Step, subject } from "../step.ts"

const collection = "/api/v1/namespaces/default/services"
const ports = [{ port: 80 }]

/** Services whose first write is one of their status: they get no address there, and have to say both fields of one alike. */
const specs: Readonly<Record<string, object>> = {
  plain: { ports },
  external: { type: "ExternalName", externalName: "example.com" },
  balanced: { type: "LoadBalancer", ports },
  "headless-by-one": { clusterIP: "None", ports },
  "headless-by-list": { clusterIPs: ["None"], ports },
  headless: { clusterIP: "None", clusterIPs: ["None"], selector: { a: "b" }, ports },
  "headless-of-both-families": { clusterIP: "None", clusterIPs: ["None"], ipFamilyPolicy: "PreferDualStack", ports },
  "given-by-one": { clusterIP: "10.0.3.3", ports },
  given: { clusterIP: "10.0.3.4", clusterIPs: ["10.0.3.4"], ports },
}

/** Services that say what families they are of, or leave that to a cluster of one family. */
const families: Readonly<Record<string, object>> = {
  "no-selector": { clusterIP: "None", ports },
  "no-selector-single": { clusterIP: "None", ipFamilyPolicy: "SingleStack", ports },
  "no-selector-ipv6": { clusterIP: "None", ipFamilies: ["IPv6"], ports },
  "no-selector-both": { clusterIP: "None", ipFamilies: ["IPv6", "IPv4"], ports },
  "no-selector-single-both": { clusterIP: "None", ipFamilies: ["IPv6", "IPv4"], ipFamilyPolicy: "SingleStack", ports },
  "headless-both": { clusterIP: "None", ipFamilyPolicy: "RequireDualStack", selector: { a: "b" }, ports },
  "headless-ipv6": { clusterIP: "None", ipFamilies: ["IPv6"], selector: { a: "b" }, ports },
  preferring: { ipFamilyPolicy: "PreferDualStack", ports },
  requiring: { ipFamilyPolicy: "RequireDualStack", ports },
  "ipv6-address": { clusterIP: "2001:db8::1", ports },
  "two-addresses": { clusterIPs: ["10.0.3.5", "2001:db8::1"], ports },
  "two-families": { ipFamilies: ["IPv4", "IPv6"], ports },
  "unknown-family": { ipFamilies: ["IPv5"], ports },
  "unknown-policy": { ipFamilyPolicy: "Both", ports },
}

const ofFamilies = Object.entries(families).flatMap(([name, spec]): readonly Step[] => {
  const service = subject(collection, name)
  const change = (title: string, changes: object) => service.merge(`${name}: ${title}`, { spec: changes }, { manager: "m2" })
  return [
    service.create(`${name}: create`, { metadata: { name }, spec }),
    change("prefer both families", { ipFamilyPolicy: "PreferDualStack" }),
    change("leave out the second family", { ipFamilies: ["IPv4"] }),
    change("be of one family", { ipFamilyPolicy: "SingleStack" }),
    change("be of IPv6 too", { ipFamilies: ["IPv4", "IPv6"] }),
    change("be external", { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null, selector: null }),
    service.remove(`${name}: delete`),
  ]
})

const ofStatus: readonly Step[] = Object.entries(specs).flatMap(([name, spec]): readonly Step[] => {
  const [service, body] = [subject(collection, name), { apiVersion: "v1", kind: "Service", metadata: { name }, spec }]
  return [
    service.sub("status").update(`${name}: create by a write of the status`, body),
    service.merge(`${name}: annotate`, { metadata: { annotations: { a: "b" } } }, { manager: "m2" }),
    service.apply(`${name}: apply`, { ...body, spec: { sessionAffinity: "None" } }, { manager: "m3" }),
    service.sub("status").merge(`${name}: write the status`, { status: { loadBalancer: {} } }, { manager: "m4" }),
    service.merge(`${name}: change the spec`, { spec: { sessionAffinity: "ClientIP" } }, { manager: "m2" }),
    service.remove(`${name}: delete`),
  ]
})

export const services: readonly Step[] = [...ofStatus, ...ofFamilies]
