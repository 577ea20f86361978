import { dynType, type Type } from "../../types/types.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"
import { authorizerType } from "../libraries/authorizers.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { type SchemaTypes, typesFromSchema } from "../schema/schema-types.ts"
import { AdmissionEnvironment, type PolicyVariable } from "./admission-environment.ts"
import { admissionTypes, namespaceType, requestType } from "./admission-types.ts"

/** What the expressions of a policy are checked against. */
export interface TypeCheckInputs {
  /** Of `object` and `oldObject`. */
  readonly object: JsonSchema
  /** Left out: the policy has no params. "unknown": their schema cannot be had, so they have any type. */
  readonly params?: JsonSchema | "unknown" | undefined
  readonly variables: readonly PolicyVariable[]
}

/**
 * Checks the expressions of a policy against the schemas of one kind, as the status of a ValidatingAdmissionPolicy reports it: at admission the same
 * variables have any type.
 */
export class PolicyTypeChecker {
  private readonly environment: AdmissionEnvironment

  constructor({ object, params, variables }: TypeCheckInputs) {
    const objects = typesFromSchema(object, { isResourceRoot: true, name: "Object" })
    const ofParams =
      params === undefined || params === "unknown" ? undefined : typesFromSchema(params, { isResourceRoot: true, name: "Params" })
    const declared = {
      namespaceObject: namespaceType,
      request: requestType,
      object: typeOf(objects),
      oldObject: typeOf(objects),
      ...(params !== undefined && { params: typeOf(ofParams) }),
      // Upstream does not declare authorizer.requestResource here.
      authorizer: authorizerType,
    }
    const objectTypes = [...admissionTypes, ...objects.objectTypes, ...(ofParams?.objectTypes ?? [])]
    this.environment = new AdmissionEnvironment(
      "policy",
      kubernetesEnvironment().extend({ objectTypes, variables: declared, trustsValues: true }),
    )
    for (const variable of variables) this.environment.addVariable(variable, {})
  }

  /** Returns the faults of an expression, with the place of each; undefined where it fits. */
  check(expression: string): string | undefined {
    return this.environment.issues(expression)
  }
}

function typeOf(types: SchemaTypes | undefined): Type {
  return types?.root?.type ?? dynType
}
