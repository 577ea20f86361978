import type { Quantity as QuantityText } from "@pilothouse/api"
import type { DeviceAttribute } from "@pilothouse/api/resource/v1"
import { compile } from "../../compile.ts"
import { bindingsLibrary } from "../../extensions/bindings.ts"
import { Program } from "../../program.ts"
import { boolType, dynType, mapType, objectType, sameType, stringType } from "../../types/types.ts"
import { MapValue } from "../../values/maps.ts"
import { EvaluationError, type Value } from "../../values/value.ts"
import { callCostLimit, kubernetesEnvironment } from "../environment/kubernetes-environment.ts"
import { quantityOf, quantityType } from "../libraries/quantities.ts"
import { semver } from "../libraries/semver.ts"

/** What an expression sees of a device. */
export interface SelectableDevice {
  readonly driver: string
  readonly allowMultipleAllocations?: boolean
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>
  readonly capacity?: Readonly<Record<string, { readonly value: QuantityText }>>
}

/** An expression that selects devices: whether it does, or why that cannot be said. */
export interface DeviceSelector {
  /** Why it does not compile. */
  readonly error?: string
  /** Throws an Error with cel-go's words where it cannot be evaluated for the device. `spend` gets the cost in either case. */
  matches(device: SelectableDevice, spend?: (cost: number) => void): boolean
}

/** A domain that a device has nothing of is there, and empty. */
class Domains extends MapValue {
  override get(key: Value): Value | undefined {
    return super.get(key) ?? nothing
  }
}

const nothing: Readonly<Record<string, never>> = {}

function deviceEnvironment() {
  const attributes = mapType(stringType, mapType(stringType, dynType))
  const capacity = mapType(stringType, mapType(stringType, quantityType))
  const fields = { driver: stringType, allowMultipleAllocations: boolType, attributes, capacity }
  return kubernetesEnvironment(bindingsLibrary).extend({
    trustsValues: true,
    objectTypes: [{ name: "kubernetes.DRADevice", fields: new Map(Object.entries(fields).map(([field, type]) => [field, { type }])) }],
    variables: { device: objectType("kubernetes.DRADevice") },
  })
}

/** The most expressions that are kept compiled. */
const maxKept = 1000

/** Compiles the expressions of selectors. Invariant: #kept has at most `maxKept`, the ones that were asked for last. */
export class DeviceSelectors {
  readonly #environment = deviceEnvironment()
  readonly #kept = new Map<string, DeviceSelector>()

  /** Returns the compiled expression. */
  of(expression: string): DeviceSelector {
    const selector = this.#kept.get(expression) ?? this.#compile(expression)
    this.#kept.delete(expression)
    this.#kept.set(expression, selector)
    if (this.#kept.size > maxKept) this.#kept.delete(this.#kept.keys().next().value!)
    return selector
  }

  #compile(expression: string): DeviceSelector {
    const program = compile(expression, this.#environment)
    if (!(program instanceof Program)) return failing(program.failure)
    const { outputType } = program
    if (!sameType(outputType, boolType) && !sameType(outputType, dynType))
      return failing(`must evaluate to bool or the unknown type, not ${outputType.name}`)
    return { matches: (device, spend) => evaluate(program, device, spend) }
  }
}

function failing(error: string): DeviceSelector {
  return {
    error,
    matches() {
      throw new Error(error)
    },
  }
}

function evaluate(program: Program, device: SelectableDevice, spend?: (cost: number) => void): boolean {
  const outcome = program.evaluate({ device: valueOf(device) }, { costLimit: callCostLimit })
  spend?.(outcome.cost)
  if (outcome.kind === "error") throw new Error(outcome.message)
  if (typeof outcome.value === "boolean") return outcome.value
  throw new Error("CEL result could not be converted to bool")
}

function valueOf({ driver, allowMultipleAllocations = false, attributes = {}, capacity = {} }: SelectableDevice): Value {
  return {
    driver,
    allowMultipleAllocations,
    attributes: domainsOf(
      driver,
      Object.entries(attributes).map(([name, attribute]) => [name, attributeValue(name, attribute)]),
    ),
    capacity: domainsOf(
      driver,
      Object.entries(capacity).map(([name, { value }]) => [
        name,
        parsed(`capacity ${name}: parse quantity`, () => quantityOf(String(value))),
      ]),
    ),
  } as unknown as Value
}

/** A name without a domain is the driver's. */
function domainsOf(driver: string, entries: readonly (readonly [string, Value])[]): Domains {
  const byDomain = new Map<string, Record<string, Value>>()
  for (const [name, value] of entries) {
    const slash = name.indexOf("/")
    const [domain, id] = slash < 0 ? [driver, name] : [name.slice(0, slash), name.slice(slash + 1)]
    const known = byDomain.get(domain) ?? Object.create(null)
    byDomain.set(domain, known)
    known[id] = value
  }
  const domains = new Domains()
  for (const [domain, values] of byDomain) domains.add(domain, { ...values })
  return domains
}

function attributeValue(name: string, { int, bool, string, version }: DeviceAttribute): Value {
  const value = int ?? bool ?? string
  if (value !== undefined) return value
  if (version === undefined) throw new Error(`attribute ${name}: unsupported attribute value`)
  return parsed(`attribute ${name}: parse semantic version`, () => semver(version))
}

function parsed(what: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    throw new Error(`${what}: ${error.message}`, { cause: error })
  }
}
