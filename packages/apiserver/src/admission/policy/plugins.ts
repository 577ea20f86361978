import { isExemptFromAdmission } from "../matching/exempt-resources.ts"
import type { AdmissionPlugin } from "../plugin.ts"
import { policyIndexes } from "./policy-index.ts"

/** The dispatchers, which are loaded, with the expression language, when the first policy has a binding. */
const loaded: { mutating?: typeof import("./mutating-dispatch.ts"); validating?: typeof import("./validating-dispatch.ts") } = {}

/** Applies the mutations of MutatingAdmissionPolicies one after the other; each sees what those before it have made of the object. */
export const mutatingAdmissionPolicy: AdmissionPlugin = {
  name: "MutatingAdmissionPolicy",
  admit(attributes) {
    const hooks = attributes.server.indexes.get(policyIndexes.mutating)
    if (hooks.length === 0 || attributes.operation === "DELETE" || isExemptFromAdmission(attributes.resource)) return
    if (loaded.mutating) return loaded.mutating.mutateByPolicies(hooks, attributes)
    const loading = attributes.server.clock.external(import("./mutating-dispatch.ts"), "loading admission policies")
    return loading.then((module) => {
      loaded.mutating = module
      return module.mutateByPolicies(hooks, attributes)
    })
  },
}

/** Evaluates the expressions of ValidatingAdmissionPolicies with the object as it will be stored. */
export const validatingAdmissionPolicy: AdmissionPlugin = {
  name: "ValidatingAdmissionPolicy",
  validate(attributes) {
    const hooks = attributes.server.indexes.get(policyIndexes.validating)
    if (hooks.length === 0 || isExemptFromAdmission(attributes.resource)) return
    if (loaded.validating) return loaded.validating.validatePolicies(hooks, attributes)
    const loading = attributes.server.clock.external(import("./validating-dispatch.ts"), "loading admission policies")
    return loading.then((module) => {
      loaded.validating = module
      return module.validatePolicies(hooks, attributes)
    })
  },
}
