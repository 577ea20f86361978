import type { Service } from "@pilothouse/api/core/v1"
import { type AdmissionPlugin, refusal } from "../plugin.ts"

/** Refuses external addresses that a Service did not have before: with one a user could take over the traffic of others. */
export const denyServiceExternalIPs: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  validate(attributes) {
    const { operation, object, old } = attributes
    if (operation === "DELETE") return
    const before = new Set((old as Service | undefined)?.spec?.externalIPs ?? [])
    if (((object as Service).spec?.externalIPs ?? []).every((address) => before.has(address))) return
    throw refusal(attributes, "Use of external IPs is denied by admission control")
  },
}
