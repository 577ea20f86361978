import type { Interval } from "../cost/interval.ts"
import { reserved } from "../syntax/expansion.ts"
import { type Macro, standardMacros } from "../syntax/macros.ts"
import type { Issues } from "../syntax/source.ts"
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  Type,
  timestampType,
  typeOfType,
  typeType,
  uintType,
} from "../types/types.ts"
import type { Value } from "../values/value.ts"
import type { CheckedExpression } from "./checked-expression.ts"
import type { Overload } from "./overload.ts"

/** A set of functions, macros and types that expressions can use. */
export interface Library {
  readonly name: string
  readonly overloads: readonly Overload[]
  readonly macros?: readonly Macro[]
  /** Types that expressions can name, such as `net.IP`. */
  readonly types?: readonly Type[]
  /** Faults of checked expressions that only the library knows. */
  readonly checks?: readonly ExpressionCheck[]
}

/** Reports what an expression whose types are right would fail with in every evaluation. */
export type ExpressionCheck = (checked: CheckedExpression, issues: Issues) => void

/** How a value of the caller's data becomes a value of the declared type; absent where it is one already. */
export type Reader = (value: Value) => Value

/** A field of an object type. */
export interface FieldDeclaration {
  readonly type: Type
  /** The property that holds the field, if its name in expressions is an escaped one. */
  readonly property?: string
  readonly read?: Reader
  /** Whether a null in the data counts as an absent field. */
  readonly nullIsAbsent?: boolean
}

/** An object type: a name and its fields. */
export interface ObjectDeclaration {
  readonly name: string
  readonly fields: ReadonlyMap<string, FieldDeclaration>
  /** Whether a literal of the type says which type it is: see `typeNameOf`. */
  readonly namesType?: boolean
}

/** A variable of expressions. */
export interface VariableDeclaration {
  readonly type: Type
  readonly read?: Reader
}

/** What the estimation asks of the environment; every answer may be undefined. */
export interface SizeHints {
  /** The size of the value at a path such as `["self", "names", "@items"]`, if its schema bounds it. */
  estimateSize(path: readonly string[], type: Type): Interval | undefined
}

/** How two values of a type are compared, where that is not item by item, and how such lists are joined. */
export interface TypeBehaviour {
  equals?(left: Value, right: Value): boolean
  concatenate?(left: readonly Value[], right: readonly Value[]): readonly Value[]
}

/** What a function accepts of a literal that is its first argument. */
export interface LiteralCheck {
  readonly function: string
  isValid(value: Value): boolean
}

/** What an environment is made of. */
export interface EnvironmentOptions {
  readonly variables?: Readonly<Record<string, Type | VariableDeclaration>>
  readonly objectTypes?: readonly ObjectDeclaration[]
  /** Declares object types of which there are too many to list, by their names. */
  readonly resolveObject?: (name: string) => ObjectDeclaration | undefined
  readonly libraries?: readonly Library[]
  /** Elements of a list literal and values of a map literal must agree in type. */
  readonly homogeneousLiterals?: boolean
  /** Keys of map literals may be of any type and occur again, as cel-go has it; the specification of the language allows neither. */
  readonly anyMapKeys?: boolean
  /** Whether `a.?b` fails where `a` can have no fields, as the specification has it; Kubernetes takes the field for absent. */
  readonly errorOnBadPresenceTest?: boolean
  /** Whether `has()` costs one unit, as cel-go has it by default; Kubernetes makes it free. */
  readonly presenceTestCost?: boolean
  /** Constant lists, maps and conversions are computed once and are free, as Kubernetes has it. */
  readonly foldConstants?: boolean
  /** Fields may be quoted with backticks: `map.`content-type``. */
  readonly quotedFields?: boolean
  /** Whether `key in map` fails for a map of data and a key that is no text, as in rules of custom resources; elsewhere nothing is found. */
  readonly strictMapKeys?: boolean
  /** Variables and fields are known to have values of their types, as objects that a schema was checked for: nothing is checked when they are read. */
  readonly trustsValues?: boolean
  /** The namespace in which names are looked up, such as `com.example`. */
  readonly container?: string
  readonly sizeHints?: SizeHints
  /** Literals that are refused before any evaluation. */
  readonly literalChecks?: readonly LiteralCheck[]
  /** Values of a type that compare or join in their own way, by the identity of the type. */
  readonly behaviours?: ReadonlyMap<Type, TypeBehaviour>
}

const standardTypes: readonly Type[] = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType(dynType),
  mapType(dynType, dynType),
  nullType,
  stringType,
  timestampType,
  typeType,
  uintType,
]

const defaults = {
  homogeneousLiterals: false,
  anyMapKeys: false,
  errorOnBadPresenceTest: true,
  presenceTestCost: true,
  foldConstants: false,
  quotedFields: false,
  strictMapKeys: false,
  trustsValues: false,
  container: "",
  sizeHints: undefined as SizeHints | undefined,
  resolveObject: undefined as EnvironmentOptions["resolveObject"],
  literalChecks: [] as readonly LiteralCheck[],
  behaviours: new Map() as ReadonlyMap<Type, TypeBehaviour>,
}

type Settings = typeof defaults

const optionNames: ReadonlySet<string> = new Set([...Object.keys(defaults), "variables", "objectTypes", "libraries"])

/** A caller in JavaScript has no compiler that finds a misspelt option, or a library that is a function which makes one. */
function requireOptions(options: EnvironmentOptions): void {
  const unknown = Object.keys(options).find((name) => !optionNames.has(name))
  if (unknown !== undefined) throw new TypeError(`expected options of an Environment, such as libraries and variables, found ${unknown}`)
  for (const library of options.libraries ?? []) {
    if (Array.isArray(library?.overloads)) continue
    const found = typeof library === "function" ? `the function ${(library as { readonly name: string }).name}: call it` : String(library)
    throw new TypeError(`expected a library, such as standardLibrary(), found ${found}`)
  }
}

/** Returns the settings that the options name; the rest comes from the base or the defaults. */
function definedOf(options: EnvironmentOptions): Partial<Settings> {
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => name in defaults && value !== undefined))
}

/** Adds entries to a map; without any, the map itself serves. */
function merged<T>(base: ReadonlyMap<string, T> | undefined, entries: readonly (readonly [string, T])[]): ReadonlyMap<string, T> {
  return base && entries.length === 0 ? base : new Map([...(base ?? []), ...entries])
}

function byName<T extends { readonly name: string }>(items: readonly T[]): (readonly [string, T])[] {
  return items.map((item) => [item.name, item])
}

/** Everything that expressions are compiled against. It is immutable; `extend` adds to it cheaply. */
export class Environment {
  readonly homogeneousLiterals: boolean
  readonly anyMapKeys: boolean
  readonly errorOnBadPresenceTest: boolean
  readonly presenceTestCost: boolean
  readonly foldConstants: boolean
  readonly quotedFields: boolean
  readonly strictMapKeys: boolean
  readonly trustsValues: boolean
  readonly container: string
  readonly sizeHints: SizeHints | undefined
  readonly resolveObject: EnvironmentOptions["resolveObject"]
  readonly literalChecks: readonly LiteralCheck[]
  readonly macros: readonly Macro[]
  readonly checks: readonly ExpressionCheck[]
  readonly behaviours: ReadonlyMap<Type, TypeBehaviour>
  private readonly functions: ReadonlyMap<string, readonly Overload[]>
  private readonly variables: ReadonlyMap<string, VariableDeclaration>
  private readonly objects: ReadonlyMap<string, ObjectDeclaration>
  private readonly types: ReadonlyMap<string, Type>

  constructor(options: EnvironmentOptions, base?: Environment) {
    requireOptions(options)
    const settings = { ...defaults, ...base, ...definedOf(options) }
    const { libraries = [] } = options
    this.homogeneousLiterals = settings.homogeneousLiterals
    this.anyMapKeys = settings.anyMapKeys
    this.errorOnBadPresenceTest = settings.errorOnBadPresenceTest
    this.presenceTestCost = settings.presenceTestCost
    this.foldConstants = settings.foldConstants
    this.quotedFields = settings.quotedFields
    this.strictMapKeys = settings.strictMapKeys
    this.trustsValues = settings.trustsValues
    this.container = settings.container
    this.sizeHints = settings.sizeHints
    this.resolveObject = settings.resolveObject
    this.literalChecks = settings.literalChecks
    this.behaviours = settings.behaviours
    this.macros = [...(base?.macros ?? standardMacros), ...libraries.flatMap(({ macros = [] }) => macros)]
    this.checks = [...(base?.checks ?? []), ...libraries.flatMap(({ checks = [] }) => checks)]
    this.functions = functionsOf(libraries, base?.functions)
    this.variables = merged(base?.variables, Object.entries(options.variables ?? {}).map(variableOf))
    this.objects = merged(base?.objects, byName(options.objectTypes ?? []))
    this.types = merged(base?.types ?? new Map(byName(standardTypes)), byName(libraries.flatMap(({ types = [] }) => types)))
  }

  /** Returns an environment that also has what the options name. */
  extend(options: EnvironmentOptions): Environment {
    return new Environment(options, this)
  }

  /** Returns the overloads of a function, or undefined if there is no such function. */
  overloads(name: string): readonly Overload[] | undefined {
    return this.functions.get(name)
  }

  variable(name: string): VariableDeclaration | undefined {
    return this.variables.get(name)
  }

  object(name: string): ObjectDeclaration | undefined {
    return this.objects.get(name) ?? this.resolveObject?.(name)
  }

  /** Returns the type of a type's name, for example `type(int)` of `int`. */
  typeNamed(name: string): Type | undefined {
    const type = this.types.get(name)
    return type && typeOfType(type)
  }

  /** Returns the names that an unqualified name may stand for, the innermost namespace first. */
  candidates(name: string): readonly string[] {
    if (name.startsWith(".")) return [name.slice(1)]
    if (this.container === "") return [name]
    const parts = this.container.split(".")
    return [...parts.map((_part, index) => `${parts.slice(0, parts.length - index).join(".")}.${name}`), name]
  }
}

function variableOf([name, declared]: readonly [string, Type | VariableDeclaration]): readonly [string, VariableDeclaration] {
  if (!isName(name)) {
    throw new TypeError(`expected the name of a variable that an expression can write, such as my_variable, found ${JSON.stringify(name)}`)
  }
  const declaration = declared instanceof Type ? { type: declared } : declared
  if (declaration?.type instanceof Type) return [name, declaration]
  throw new TypeError(`expected the type of the variable ${name}, such as intType, or { type, read }, found ${String(declared)}`)
}

const words = /^[_a-zA-Z][_a-zA-Z0-9]*$/

/** Reports whether an expression can write a name: words with dots between them, of which the first is not reserved. */
export function isName(name: string): boolean {
  const [first = "", ...others] = name.split(".")
  return !reserved.has(first) && [first, ...others].every((word) => words.test(word) && !literalWords.has(word))
}

/** These are no names anywhere, also not behind a dot. */
const literalWords: ReadonlySet<string> = new Set(["false", "in", "null", "true"])

function functionsOf(
  libraries: readonly Library[],
  base?: ReadonlyMap<string, readonly Overload[]>,
): ReadonlyMap<string, readonly Overload[]> {
  if (base && libraries.length === 0) return base
  const functions = new Map(base)
  for (const overload of libraries.flatMap(({ overloads }) => overloads)) {
    functions.set(overload.name, [...(functions.get(overload.name) ?? []), overload])
  }
  return functions
}
