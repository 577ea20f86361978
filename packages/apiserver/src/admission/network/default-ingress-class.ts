import { parseTime } from "@pilothouse/api"
import { type Ingress, type IngressClass, ingressClasses } from "@pilothouse/api/networking/v1"
import type { Draft } from "../../body/draft.ts"
import type { AdmissionPlugin, AdmissionServer } from "../plugin.ts"

/** An Ingress that names no class gets the default one. */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  admit({ server, operation, object }) {
    if (operation !== "CREATE") return
    const ingress = object as Draft<Ingress>
    if (ingress.spec?.ingressClassName !== undefined) return
    if (ingress.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined) return
    const name = defaultClass(server)?.metadata.name
    if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name }
  },
}

/** The newest, when several are marked; then the first by name. */
function defaultClass({ storage, registry }: AdmissionServer): IngressClass | undefined {
  const created = ({ metadata }: IngressClass) => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z")
  return storage
    .list(registry.of(ingressClasses).stored.prefix)
    .items.map(({ value }) => value as IngressClass)
    .filter(({ metadata }) => metadata.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true")
    .reduce<IngressClass | undefined>((best, one) => (best === undefined || created(one) > created(best) ? one : best), undefined)
}
