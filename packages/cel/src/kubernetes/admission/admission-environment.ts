import { compile } from "../../compile.ts"
import type { Environment, FieldDeclaration } from "../../environment/environment.ts"
import { type Activation, Program } from "../../program.ts"
import { boolType, dynType, listType, mapType, nullType, objectType, sameType, stringType, type Type } from "../../types/types.ts"
import { fail, type JsonObject, type Value } from "../../values/value.ts"
import { callCostLimit, kubernetesEnvironment } from "../environment/kubernetes-environment.ts"
import { authorizerType, resourceCheckType } from "../libraries/authorizers.ts"
import { jsonPatchLibrary } from "../libraries/urls.ts"
import { admissionTypes, namespaceType, requestType } from "./admission-types.ts"
import { resolvePatchType } from "./patch-types.ts"

/** Which of the variables that not every expression has are declared. */
export interface AdmissionDeclarations {
  readonly params?: boolean
  readonly authorizer?: boolean
  /** Whether `Object{…}` and `JSONPatch{…}` can be written, as in mutations. */
  readonly patchTypes?: boolean
}

/** A named expression of a policy, which later expressions read as `variables.<name>`. */
export interface PolicyVariable {
  readonly name: string
  readonly expression: string
}

/** A program, or why there is none, in upstream's words. */
export type CompiledExpression = Program | { readonly error: string }

const environments = new Map<string, Environment>()

/** Returns the environment of admission: `object`, `oldObject`, `request`, `namespaceObject`, and what is declared beside them. */
function admissionEnvironment({ params = false, authorizer = false, patchTypes = false }: AdmissionDeclarations): Environment {
  const key = `${params} ${authorizer} ${patchTypes}`
  const known = environments.get(key)
  if (known) return known
  const environment = kubernetesEnvironment(...(patchTypes ? [jsonPatchLibrary] : [])).extend({
    ...(patchTypes && { resolveObject: resolvePatchType }),
    trustsValues: true,
    objectTypes: admissionTypes,
    variables: {
      object: dynType,
      oldObject: dynType,
      request: requestType,
      namespaceObject: namespaceType,
      ...(params && { params: dynType }),
      ...(authorizer && { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType }),
    },
  })
  environments.set(key, environment)
  return environment
}

/** What the lazy variables of one evaluation have cost since it was set to zero. */
export interface VariablesCost {
  spent: number
}

/** The environment of a policy: the variables that were compiled so far are fields of `variables`. */
export class AdmissionEnvironment {
  private readonly variables = new Map<string, CompiledExpression>()
  private readonly fields = new Map<string, FieldDeclaration>()
  private readonly declaresVariables: boolean
  private readonly base: Environment | undefined

  /** Only policies have `variables`; match conditions of webhooks do not. `base` stands in place of the environment of admission. */
  constructor(variables?: "policy", base?: Environment) {
    this.declaresVariables = variables === "policy"
    this.base = base
  }

  /** Returns why an expression does not fit the environment, without regard to what it returns; undefined where it does. */
  issues(expression: string): string | undefined {
    const program = compile(expression, this.withVariables(this.base ?? admissionEnvironment({})))
    return program instanceof Program || program.kind !== "issues" ? undefined : program.message
  }

  /** Compiles an expression whose result must be of one of the types; `undefined` accepts all. */
  compile(expression: string, declarations: AdmissionDeclarations, returns?: readonly Type[]): CompiledExpression {
    const base = this.base ?? admissionEnvironment(declarations)
    const environment = this.declaresVariables ? this.withVariables(base) : base
    const program = compile(expression, environment)
    if (!(program instanceof Program)) return { error: program.failure }
    if (returns === undefined || returns.some((type) => sameType(type, program.outputType))) return program
    const expected = returns.length === 1 ? declaredName(returns[0] as Type) : `one of [${returns.map(declaredName).join(" ")}]`
    return { error: `must evaluate to ${expected} but got ${declaredName(program.outputType)}` }
  }

  /** Adds a variable, which expressions compiled later can read; one that does not compile fails where it is read. */
  addVariable({ name, expression }: PolicyVariable, declarations: AdmissionDeclarations): CompiledExpression {
    const compiled = this.compile(expression, declarations)
    this.variables.set(name, compiled)
    this.fields.set(name, { type: compiled instanceof Program ? variableType(compiled.outputType) : dynType })
    return compiled
  }

  /** Returns the value of `variables`: each one is computed when it is first read, and adds to the cost. */
  lazyVariables(activation: Activation, cost: VariablesCost): JsonObject {
    const known: Known = new Map()
    const object = {}
    for (const [name, compiled] of this.variables) {
      const get = (): Value => computed(name, compiled, { activation, cost, known })
      Object.defineProperty(object, name, { get, enumerable: true })
    }
    return object
  }

  /** The fields are shared, not copied for each of many variables: a program resolves them when it is compiled, and does not see later ones. */
  private withVariables(base: Environment): Environment {
    const type = { name: "kubernetes.variables", fields: this.fields }
    return base.extend({ objectTypes: [type], variables: { variables: objectType(type.name) } })
  }
}

type Known = Map<string, Value | FailedVariable>

class FailedVariable {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** The variables of one evaluation. */
interface Computing {
  readonly activation: Activation
  readonly cost: VariablesCost
  readonly known: Known
}

/** Returns the value of a variable, which is computed once; it fails again where it failed. */
function computed(name: string, compiled: CompiledExpression, { activation, cost, known }: Computing): Value {
  if (!known.has(name)) known.set(name, compute(name, compiled, activation, cost))
  const value = known.get(name) as Value | FailedVariable
  return value instanceof FailedVariable ? fail(value.message) : value
}

function compute(name: string, compiled: CompiledExpression, activation: Activation, cost: VariablesCost): Value | FailedVariable {
  if (!(compiled instanceof Program)) return new FailedVariable(`composited variable "${name}" fails to compile: ${compiled.error}`)
  const evaluation = compiled.evaluate(activation, { costLimit: callCostLimit })
  cost.spent += evaluation.cost
  if (evaluation.kind === "value") return evaluation.value
  return new FailedVariable(`composited variable "${name}" fails to evaluate: ${evaluation.message}`)
}

const scalars: ReadonlySet<Type["kind"]> = new Set("bool bytes double duration int null string timestamp uint".split(" ") as Type["kind"][])

/** Returns the type that later expressions see: scalars, lists and maps keep theirs, everything else is dyn. */
function variableType(type: Type): Type {
  if (scalars.has(type.kind)) return type
  const [first, second] = type.parameters
  if (type.kind === "list" && first) return listType(variableType(first))
  if (type.kind === "map" && first && second) return mapType(variableType(first), variableType(second))
  return dynType
}

/** Returns the name of a type as Go prints it, which is not what the checker's messages say: `null_type`. */
function declaredName({ name, parameters }: Type): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(declaredName).join(", ")})`
}

/** What the expressions of policies may return, by what they are for. */
export const resultTypes = {
  condition: [boolType],
  message: [stringType],
  auditAnnotation: [stringType, nullType],
  applyConfiguration: [objectType("Object")],
  jsonPatch: [listType(objectType("JSONPatch"))],
} as const satisfies Readonly<Record<string, readonly Type[]>>
