import { checkLabelKey, type FieldError, fieldError } from "@pilothouse/api"
import type { MatchCondition } from "@pilothouse/api/admissionregistration/v1"
import type { Clock } from "@pilothouse/seams"
import { duplicates, named } from "./field-rules.ts"

type Cel = typeof import("@pilothouse/cel/kubernetes")
/** The Common Expression Language, which is loaded for the first webhook that has conditions. */
const library: { cel?: Cel } = {}

const maxConditions = 64

/** Loads what match conditions are compiled with; undefined where it is there already. */
export function loadMatchConditions(clock: Clock): Promise<Cel> | undefined {
  return library.cel === undefined ? load(clock) : undefined
}

async function load(clock: Clock): Promise<Cel> {
  library.cel = await clock.external(import("@pilothouse/cel/kubernetes"), "loading the Common Expression Language")
  return library.cel
}

/** Returns the library that was loaded. */
export function matchConditionLibrary(): Cel {
  if (library.cel === undefined)
    throw new Error("expected the Common Expression Language to be loaded, found it is not; await loadMatchConditions")
  return library.cel
}

interface Options {
  readonly path: string
  /** Whether expressions may read params. */
  readonly params?: boolean
}

/** Returns what is wrong with the match conditions of a webhook or policy: names and expressions. */
export function matchConditionErrors(conditions: readonly MatchCondition[], { path, params = false }: Options): readonly FieldError[] {
  if (conditions.length === 0) return []
  const { MatchConditions } = matchConditionLibrary()
  const trimmed = conditions.map(({ name, expression = "" }) => ({ name, expression: expression.trim() }))
  const { errors } = new MatchConditions(trimmed, { params, authorizer: true })
  return [
    ...(conditions.length > maxConditions ? [fieldError.tooMany(path, conditions.length, maxConditions)] : []),
    ...trimmed.flatMap(({ name, expression }, index) => [
      ...(expression === ""
        ? [fieldError.required(`${path}[${index}].expression`)]
        : expressionErrors(expression, errors[index], `${path}[${index}]`)),
      ...named(name, checkLabelKey, `${path}[${index}].name`),
    ]),
    ...duplicates(
      conditions.map(({ name }) => name),
      (index) => `${path}[${index}].name`,
    ),
  ]
}

function expressionErrors(expression: string, fault: string | undefined, path: string): readonly FieldError[] {
  return fault === undefined ? [] : [fieldError.invalid(`${path}.expression`, expression, fault)]
}
