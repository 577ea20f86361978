import { type Ingress, ingressClasses } from "@pilothouse/api/networking/v1"
import type { Draft } from "../../body/draft.ts"
import { defaultClass } from "../default-class.ts"
import type { AdmissionPlugin } from "../plugin.ts"

/** An Ingress that names no class gets the default one. */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  admit({ server, operation, object }) {
    if (operation !== "CREATE") return
    const ingress = object as Draft<Ingress>
    if (ingress.spec?.ingressClassName !== undefined) return
    if (ingress.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined) return
    const name = defaultClass(server, ingressClasses, ["ingressclass.kubernetes.io/is-default-class"])?.metadata.name
    if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name }
  },
}
