import { apiVersionOf } from "@pilothouse/api"
import {
  type ExpressionWarning,
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "@pilothouse/api/admissionregistration/v1"
import { type Controller, controller, countFlag, type Plan, plan } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { isDue, type Observed, observe } from "./observe.ts"

const name = "validatingadmissionpolicy-status-controller"

/**
 * Checks the expressions of ValidatingAdmissionPolicies against the schemas of the kinds that they match, and writes what does not fit to their status.
 * Once for each generation of a policy: a kind that appears later is not noticed, as upstream. The policy is enforced whatever the status says.
 */
export function validatingAdmissionPolicyStatusController({ concurrentSyncs = 5 }: { readonly concurrentSyncs?: number } = {}): Controller {
  return controller(name, {
    for: validatingAdmissionPolicies,
    predicate: ({ type, object }) => type !== "deleted" && isDue(object as ValidatingAdmissionPolicy),
    fieldManager: name,
    maxConcurrentReconciles: concurrentSyncs,
    observe: async (key, read) => {
      const observed = await observe(key, read)
      // The expression language is loaded with the first policy.
      return observed && { ...observed, warnings: isDue(observed.policy) ? await warningsFor(observed) : [] }
    },
    decide,
  })
}

interface Checked extends Observed {
  readonly warnings: readonly ExpressionWarning[]
}

/** Returns what does not fit, in the order of the validations. */
export async function warningsFor({ policy, kinds, params }: Observed): Promise<readonly ExpressionWarning[]> {
  const { PolicyTypeChecker } = await import("@pilothouse/cel/kubernetes")
  const { variables = [], validations = [] } = policy.spec ?? {}
  const checkers = kinds.map(({ kind, schema }) => ({ kind, checker: new PolicyTypeChecker({ object: schema, params, variables }) }))
  return validations.flatMap(({ expression, messageExpression = "" }, index) =>
    Object.entries({ expression, ...(messageExpression !== "" && { messageExpression }) }).flatMap(([field, text]): ExpressionWarning[] => {
      const faults = checkers.flatMap(({ kind, checker }) => {
        const fault = checker.check(text)
        return fault === undefined ? [] : [`${apiVersionOf(kind)}, Kind=${kind.kind}: ${fault}\n`]
      })
      return faults.length === 0 ? [] : [{ fieldRef: `spec.validations[${index}].${field}`, warning: faults.join("\n") }]
    }),
  )
}

/** Applies the status of this generation; `typeChecking` stands there also where everything fits. */
export function decide({ policy, warnings }: Checked): Plan {
  if (!isDue(policy)) return plan().nothing("its expressions are checked")
  const { apiVersion, kind, metadata } = policy
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings }
  const status = { observedGeneration: metadata.generation, typeChecking }
  const why = warnings.length === 0 ? "its expressions fit the kinds that it matches" : `${warnings.length} of its expressions do not fit`
  return plan().apply({ apiVersion, kind, metadata: { name: metadata.name }, status }, why, { force: true, subresource: "status" })
}

export const validatingAdmissionPolicyStatusDescriptor = descriptor({
  name,
  aliases: [],
  flags: { "concurrent-validating-admission-policy-status-syncs": countFlag(5, "ValidatingAdmissionPolicies worked on at once") },
  create: (set) =>
    validatingAdmissionPolicyStatusController({ concurrentSyncs: set["concurrent-validating-admission-policy-status-syncs"] }),
})
