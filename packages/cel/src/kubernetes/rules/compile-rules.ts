import { type FieldError, fieldError } from "@pilothouse/api"
import { findField } from "@pilothouse/api/jsonpath"
import { compile } from "../../compile.ts"
import type { Environment, Reader } from "../../environment/environment.ts"
import { Program } from "../../program.ts"
import { optionalType } from "../../types/types.ts"
import { Optional } from "../../values/value.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"
import { hasKnownType, type JsonSchema, type ValidationRule, valuesSchema } from "../schema/json-schema.ts"
import { type SchemaType, type SchemaTypes, sizeHintsOf, typesFromSchema } from "../schema/schema-types.ts"
import { fieldPath } from "./field-path.ts"
import { budgetMessage, type Cardinality, childCardinality, ruleCostLimit, SchemaCost, totalCost } from "./rule-costs.ts"
import { ruleFormatErrors } from "./rule-format.ts"

/** A rule that can be evaluated, or why it cannot. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly program: Program | undefined
  /** Why there is no program; undefined for an empty rule too. */
  readonly error: string | undefined
  readonly message: Program | undefined
  readonly messageError: string | undefined
  readonly usesOldSelf: boolean
  /** Where errors point inside the value, as messages write it. */
  readonly fieldPath: string
}

/** The rules of one place of a schema and of the places below it. */
export interface RuleNode {
  readonly schema: JsonSchema
  /** Undefined where neither this place nor one above it has rules, too. */
  readonly type: SchemaType | undefined
  /** Whether the schema says enough for rules to know the type. */
  readonly hasKnownType: boolean
  readonly rules: readonly CompiledRule[]
  readonly allOf: readonly RuleNode[]
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly values: RuleNode | undefined
  readonly items: RuleNode | undefined
}

/** What `compileRules` found. */
export interface CompiledRules {
  /** Why the definition is refused, in upstream's words; empty for one that is accepted. */
  readonly errors: readonly FieldError[]
  /** The rules for `validateRules`; undefined if the schema has none. */
  readonly root: RuleNode | undefined
}

/** How a schema's rules are compiled. */
export interface CompileRulesOptions {
  /** Where the schema is in its definition; error paths begin with it. */
  readonly path?: string
  /** Whether the schema is that of a whole resource, with apiVersion, kind and metadata. */
  readonly isResourceRoot?: boolean
  /** The environment of the rules; Kubernetes' own by default. */
  readonly environment?: Environment
  /** Whether objects may have values of other types than the schema has, as one that an update keeps; it takes time to check them. */
  readonly checksValues?: boolean
}

/** Compiles the `x-kubernetes-validations` of a structural schema and checks them as a definition does. */
export function compileRules(
  schema: JsonSchema,
  { path = "", isResourceRoot = true, environment, checksValues = false }: CompileRulesOptions = {},
): CompiledRules {
  const ruled = placesWithRules(schema)
  if (!ruled.has(schema)) return { errors: [], root: undefined }
  const types = typesFromSchema(schema, { isResourceRoot, checksValues })
  const { objectTypes, behaviours } = types
  const outer = environment ?? kubernetesEnvironment()
  const base = outer.extend({ objectTypes, behaviours, strictMapKeys: true, trustsValues: true })
  const compilation = new Compilation({ types, environment: base }, { outer, ruled, checksValues })
  const root = compilation.compile(schema, { path, cardinality: 1, uncorrelatable: undefined, scope: undefined, isElement: false })
  const { formatErrors, ruleErrors, cost } = compilation
  return { errors: [...formatErrors, ...ruleErrors, ...cost.errors(path)], root }
}

/** Returns the places of a schema that have rules, or have a place below that does. */
function placesWithRules(schema: JsonSchema): ReadonlySet<JsonSchema> {
  const ruled = new Set<JsonSchema>()
  const visit = (place: JsonSchema): boolean => {
    const { items, properties = {}, allOf = [] } = place
    const values = valuesSchema(place)
    const below = [...(items ? [items] : []), ...(values ? [values] : []), ...Object.values(properties), ...allOf]
    const isRuled = below.map(visit).includes(true) || (place["x-kubernetes-validations"] ?? []).length > 0
    if (isRuled) ruled.add(place)
    return isRuled
  }
  visit(schema)
  return ruled
}

/** Where a schema is, as far as its rules depend on it. */
interface Place {
  readonly path: string
  readonly cardinality: Cardinality
  /** The nearest place above whose values cannot be matched with older ones. */
  readonly uncorrelatable: string | undefined
  /** What types the place above has; undefined where neither it nor one above it has rules. */
  readonly scope: Scope | undefined
  /** Whether the schema is that of items or of a map's values. */
  readonly isElement: boolean
}

/** The types that rules of a place see, and their environment. */
interface TypedScope {
  readonly types: SchemaTypes
  readonly environment: Environment
}

/** A scope, or why the rules of a place and of those below it cannot be read. */
type Scope = TypedScope | { readonly failure: string }

/** Why rules of values without a type cannot be read. */
export const noType = "failed to convert to declType for CEL validation rules"
const noScope =
  "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations"

/** What a compilation has beside the types of the whole schema. */
interface CompilationParts {
  /** The environment without the types of the schema. */
  readonly outer: Environment
  /** The places that have rules, or have a place below that does. */
  readonly ruled: ReadonlySet<JsonSchema>
  readonly checksValues: boolean
}

class Compilation {
  readonly formatErrors: FieldError[] = []
  readonly ruleErrors: FieldError[] = []
  readonly cost = new SchemaCost()
  private readonly whole: TypedScope
  private readonly outer: Environment
  private readonly ruled: ReadonlySet<JsonSchema>
  private readonly checksValues: boolean

  constructor(whole: TypedScope, { outer, ruled, checksValues }: CompilationParts) {
    this.whole = whole
    this.outer = outer
    this.ruled = ruled
    this.checksValues = checksValues
  }

  /** Returns a place below if rules are to be read there: all others are left out, so that values of them are not walked over. */
  private withRules(schema: JsonSchema | undefined): JsonSchema | undefined {
    return schema && this.ruled.has(schema) ? schema : undefined
  }

  /** Compiles the places below before the place itself: its rules are not read if a format is wrong there. */
  compile(schema: JsonSchema, place: Place): RuleNode {
    const before = this.formatErrors.length
    const [values, items] = [this.withRules(valuesSchema(schema)), this.withRules(schema.items)]
    const rules = schema["x-kubernetes-validations"] ?? []
    const scope = place.scope || rules.length > 0 ? this.scopeOf(schema, place) : undefined
    const below: Place = { ...place, cardinality: childCardinality(place.cardinality, schema), scope, isElement: false }
    const node = {
      values: values && this.compile(values, { ...below, isElement: true, path: fieldPath.child(place.path, "additionalProperties") }),
      properties: this.compileProperties(schema, below),
      allOf: (schema.allOf ?? []).filter((nested) => this.ruled.has(nested)).map((nested) => this.compileNested(nested, schema)),
      items: items && this.compile(items, itemsPlace(schema, below)),
    }
    const type = typeIn(scope, schema)
    const path = fieldPath.child(place.path, "x-kubernetes-validations")
    this.formatErrors.push(...rules.flatMap((rule, index) => ruleFormatErrors(rule, schema, fieldPath.index(path, index))))
    const compiled = this.compileNode(schema, scope, rules)
    if (rules.length > 0 && this.formatErrors.length === before) this.judgeNode(compiled, type, scope, { ...place, path })
    return { schema, type, hasKnownType: hasKnownType(schema), rules: compiled, ...node }
  }

  /** Returns the types of a place: those of the place above or, where that does not know the place, those of its schema by itself. */
  private scopeOf(schema: JsonSchema, { scope = this.whole, scope: above, isElement }: Place): Scope {
    if ("failure" in scope || scope.types.typeOf(schema) || (above && isElement)) return scope
    const types = typesFromSchema(schema, {
      isResourceRoot: schema["x-kubernetes-embedded-resource"] === true,
      checksValues: this.checksValues,
    })
    if (!types.root) return { failure: noScope }
    const { objectTypes, behaviours } = types
    return { types, environment: this.outer.extend({ objectTypes, behaviours, strictMapKeys: true, trustsValues: true }) }
  }

  private judgeNode(compiled: readonly CompiledRule[], type: SchemaType | undefined, scope: Scope | undefined, place: Place): void {
    const failure = scope && "failure" in scope ? scope.failure : noType
    if (!type) this.ruleErrors.push(fieldError.internal(place.path, failure))
    else compiled.forEach((rule, index) => this.judge(rule, type, { ...place, path: fieldPath.index(place.path, index) }))
  }

  private compileProperties({ properties = {} }: JsonSchema, place: Place): ReadonlyMap<string, RuleNode> {
    const path = fieldPath.child(place.path, "properties")
    return new Map(
      Object.entries(properties).flatMap(([name, property]) =>
        this.ruled.has(property) ? [[name, this.compile(property, { ...place, path: fieldPath.key(path, name) })] as const] : [],
      ),
    )
  }

  /** Rules inside allOf apply to the values of the schema around it; definitions are not checked for them. */
  private compileNested(nested: JsonSchema, around: JsonSchema): RuleNode {
    const type = this.whole.types.typeOf(around)
    const compileBelow = (inner: JsonSchema | undefined, outer: JsonSchema | undefined): RuleNode | undefined =>
      inner && outer && this.ruled.has(inner) ? this.compileNested(inner, outer) : undefined
    const properties = Object.entries(nested.properties ?? {}).flatMap(([name, property]) => {
      const node = compileBelow(property, around.properties?.[name])
      return node ? [[name, node] as const] : []
    })
    return {
      schema: around,
      type,
      hasKnownType: hasKnownType(around),
      rules: this.compileNode(around, this.whole, nested["x-kubernetes-validations"] ?? []),
      allOf: (nested.allOf ?? []).filter((inner) => this.ruled.has(inner)).map((inner) => this.compileNested(inner, around)),
      properties: new Map(properties),
      values: compileBelow(valuesSchema(nested), valuesSchema(around)),
      items: compileBelow(nested.items, around.items),
    }
  }

  private compileNode(schema: JsonSchema, scope: Scope | undefined, rules: readonly ValidationRule[]): CompiledRule[] {
    return rules.map((rule) => this.compileRule(rule, schema, scope))
  }

  private compileRule(rule: ValidationRule, schema: JsonSchema, scope: Scope | undefined): CompiledRule {
    const none = {
      rule,
      program: undefined,
      error: undefined,
      message: undefined,
      messageError: undefined,
      usesOldSelf: false,
      fieldPath: "",
    }
    if ((rule.rule ?? "").trim() === "") return none
    const type = typeIn(scope, schema)
    if (!type || !scope || "failure" in scope) return { ...none, error: noType }
    const environment = ruleEnvironment(scope.environment, type, rule.optionalOldSelf === true)
    const program = compile(rule.rule, environment)
    if (!(program instanceof Program)) return { ...none, error: program.failure }
    if (program.outputType.kind !== "bool") return { ...none, error: "cel expression must evaluate to a bool" }
    const message = compileMessage(rule, environment)
    // Upstream does not read the path of a rule whose message does not compile.
    const path = message.messageError === undefined ? pathOf(rule, schema) : ""
    return { ...none, program, usesOldSelf: program.uses("oldSelf"), fieldPath: path, ...message }
  }

  /** Reports what a definition is refused for, and adds up its costs. */
  private judge(compiled: CompiledRule, type: SchemaType, { path, cardinality, uncorrelatable }: Place): void {
    const { rule, program, message } = compiled
    const at = (field: string): string => fieldPath.child(path, field)
    const cost = program ? totalCost(program.estimateCost().max, cardinality, type.minSize) : 0
    this.charge(at("rule"), "estimated rule cost", cost)
    if (compiled.error !== undefined) this.ruleErrors.push(fieldError.invalid(at("rule"), shownRule(rule), compiled.error))
    if (compiled.messageError !== undefined)
      this.ruleErrors.push(fieldError.invalid(at("messageExpression"), shownRule(rule), compiled.messageError))
    if (message) this.charge(at("messageExpression"), "estimated messageExpression cost", message.estimateCost().max)
    if (compiled.usesOldSelf && uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`
      this.ruleErrors.push(fieldError.invalid(at("rule"), rule.rule, detail))
    }
    if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
      this.ruleErrors.push(fieldError.invalid(at("optionalOldSelf"), rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"))
    }
  }

  private charge(path: string, what: string, cost: number): void {
    if (cost > ruleCostLimit) this.ruleErrors.push(fieldError.forbidden(path, budgetMessage(what, cost, ruleCostLimit)))
    this.cost.observe(path, cost)
  }
}

function itemsPlace(schema: JsonSchema, place: Place): Place {
  const uncorrelatable = place.uncorrelatable ?? (schema["x-kubernetes-list-type"] === "map" ? undefined : place.path)
  return { ...place, path: fieldPath.child(place.path, "items"), uncorrelatable, isElement: true }
}

function typeIn(scope: Scope | undefined, schema: JsonSchema): SchemaType | undefined {
  return scope && "types" in scope ? scope.types.typeOf(schema) : undefined
}

/** Returns the environment of one place: `self` and `oldSelf` have its type. */
function ruleEnvironment(base: Environment, type: SchemaType, optionalOldSelf: boolean): Environment {
  const self = { type: type.type, ...(type.read && { read: type.read }) }
  const oldSelf = optionalOldSelf ? { type: optionalType(type.type), ...(type.read && { read: readOptional(type.read) }) } : self
  return base.extend({ variables: { self, oldSelf }, sizeHints: sizeHintsOf(type) })
}

function readOptional(read: Reader): Reader {
  return (value) => (value instanceof Optional && value.value !== undefined ? new Optional(read(value.value)) : value)
}

/** Returns where a rule's `fieldPath` points, as messages write it; "" for none and for one that is refused. */
function pathOf({ fieldPath: text = "" }: ValidationRule, schema: JsonSchema): string {
  const found = findField(text, schema)
  return typeof found === "string" ? "" : found.path
}

function compileMessage(
  { messageExpression = "" }: ValidationRule,
  environment: Environment,
): Pick<CompiledRule, "message" | "messageError"> {
  if (messageExpression === "") return { message: undefined, messageError: undefined }
  const program = compile(messageExpression, environment)
  if (!(program instanceof Program)) {
    const step = program.kind === "issues" ? "compilation" : "instantiation"
    return { message: undefined, messageError: `messageExpression ${step} failed: ${program.message}` }
  }
  if (program.outputType.kind !== "string") return { message: undefined, messageError: "messageExpression must evaluate to a string" }
  return { message: program, messageError: undefined }
}

/** A rule as upstream's messages show it: its internal form, with every field. */
function shownRule({ rule, message = "", messageExpression = "", reason, fieldPath: path = "", optionalOldSelf }: ValidationRule): unknown {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: path,
    OptionalOldSelf: optionalOldSelf ?? null,
  }
}
