import { checkDns1123Label, checkDns1123Subdomain } from "@pilothouse/api"
import { actualSize, type CostRule, sizeOf, traversalFactor, unitCost } from "../../cost/cost-rule.ts"
import { add, exactly, type Interval, scale } from "../../cost/interval.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads } from "../../environment/overload.ts"
import { opaqueType, type Type } from "../../types/types.ts"
import { fail, Opaque, type Value } from "../../values/value.ts"

export const authorizerType = opaqueType("kubernetes.authorization.Authorizer")
export const resourceCheckType = opaqueType("kubernetes.authorization.ResourceCheck")
const pathCheckType = opaqueType("kubernetes.authorization.PathCheck")
const groupCheckType = opaqueType("kubernetes.authorization.GroupCheck")
const decisionType = opaqueType("kubernetes.authorization.Decision")

/** The user whose rights are checked. */
export interface AuthorizationUser {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What a check asks of a resource. `version` is always `*`; the selectors are as the expression wrote them. */
export interface ResourceAuthorization {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

/** What a check asks of a path that belongs to no resource. */
export interface PathAuthorization {
  readonly verb: string
  readonly path: string
}

/** The answer to a check. With an error it is not allowed. */
export interface AuthorizationDecision {
  readonly allowed: boolean
  readonly reason?: string
  readonly error?: string
}

/** Answers a check; it may throw what `authorize` of `Authorizations` does. */
export type DecideAuthorization = (user: AuthorizationUser, what: ResourceAuthorization | PathAuthorization) => AuthorizationDecision

/** Values that have functions only: comparing two of them is an error. */
abstract class ReceiverOnly extends Opaque {
  abstract override readonly type: Type

  equals(): boolean {
    return fail("no such overload")
  }
}

/** The value of `authorizer`: the rights of one user. */
export class AuthorizerValue extends ReceiverOnly {
  readonly type = authorizerType
  readonly user: AuthorizationUser
  readonly decide: DecideAuthorization

  constructor(user: AuthorizationUser, decide: DecideAuthorization) {
    super()
    this.user = user
    this.decide = decide
  }
}

class PathCheck extends ReceiverOnly {
  readonly type = pathCheckType
  readonly authorizer: AuthorizerValue
  readonly path: string

  constructor(authorizer: AuthorizerValue, path: string) {
    super()
    this.authorizer = authorizer
    this.path = path
  }
}

class GroupCheck extends ReceiverOnly {
  readonly type = groupCheckType
  readonly authorizer: AuthorizerValue
  readonly group: string

  constructor(authorizer: AuthorizerValue, group: string) {
    super()
    this.authorizer = authorizer
    this.group = group
  }
}

/** The value of `authorizer.requestResource`, and of every check that a group begins. */
export class ResourceCheck extends ReceiverOnly {
  readonly type = resourceCheckType
  readonly authorizer: AuthorizerValue
  readonly what: Omit<ResourceAuthorization, "verb" | "version">

  constructor(authorizer: AuthorizerValue, what: Omit<ResourceAuthorization, "verb" | "version">) {
    super()
    this.authorizer = authorizer
    this.what = what
  }
}

class DecisionValue extends ReceiverOnly {
  readonly type = decisionType
  readonly decision: AuthorizationDecision

  constructor(decision: AuthorizationDecision) {
    super()
    this.decision = decision
  }
}

function path(authorizer: AuthorizerValue, text: string): PathCheck {
  return text.trim() === "" ? fail("path must not be empty") : new PathCheck(authorizer, text)
}

function resource({ authorizer, group }: GroupCheck, name: string): ResourceCheck {
  if (name.trim() === "") fail("resource must not be empty")
  return new ResourceCheck(authorizer, { group, resource: name, subresource: "", namespace: "", name: "" })
}

function serviceAccount({ decide }: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (checkDns1123Subdomain(name).length > 0) fail("Invalid service account name")
  if (checkDns1123Label(namespace).length > 0) fail("Invalid service account namespace")
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"]
  return new AuthorizerValue({ name: `system:serviceaccount:${namespace}:${name}`, uid: "", groups }, decide)
}

/** Returns a function that sets one part of a check. */
function setting(part: keyof ResourceCheck["what"]): (check: ResourceCheck, text: string) => ResourceCheck {
  return ({ authorizer, what }, text) => new ResourceCheck(authorizer, { ...what, [part]: text })
}

function checkPath({ authorizer, path: checked }: PathCheck, verb: string): DecisionValue {
  return new DecisionValue(authorizer.decide(authorizer.user, { verb, path: checked }))
}

function checkResource({ authorizer, what }: ResourceCheck, verb: string): DecisionValue {
  return new DecisionValue(authorizer.decide(authorizer.user, { ...what, verb, version: "*" }))
}

/** A check is so dear that one expression can make two. */
const checkCost: CostRule = { actual: () => 350_000, estimate: () => ({ cost: exactly(350_000) }) }

/** A selector is a list of requirements, of which each needs at least two characters, a list and a struct. */
function selectorCost(size: Interval): Interval {
  return add(exactly(10), scale(size, traversalFactor), scale(scale(size, 0.5), 50))
}

const selectorCostRule: CostRule = {
  actual: ([, selector]) => selectorCost(exactly(actualSize(selector as Value))).max,
  estimate: ([, selector]) => ({ cost: selectorCost(sizeOf(selector)) }),
}

const pods = "authorizer.group('').resource('pods')"
const types = {
  Authorizer: "kubernetes.authorization.Authorizer",
  Path: "kubernetes.authorization.PathCheck",
  Group: "kubernetes.authorization.GroupCheck",
  Resource: "kubernetes.authorization.ResourceCheck",
  Decision: "kubernetes.authorization.Decision",
} as const

/** Kubernetes' checks of rights: `authorizer.group('apps').resource('deployments').check('create').allowed()`. */
export const authorizerLibrary: Library = {
  name: "kubernetes.authz",
  overloads: defineOverloads([
    {
      id: "authorizer_path",
      name: "path",
      method: `(${types.Authorizer}, string) -> ${types.Path}`,
      evaluate: path,
      cost: unitCost,
      example: "authorizer.path('/healthz').check('get').allowed()",
      failure: ["authorizer.path(' ').check('get').allowed()", "path must not be empty"],
    },
    {
      id: "authorizer_group",
      name: "group",
      method: `(${types.Authorizer}, string) -> ${types.Group}`,
      evaluate: (authorizer: AuthorizerValue, group: string) => new GroupCheck(authorizer, group),
      cost: unitCost,
      example: "authorizer.group('apps').resource('deployments').check('get').reason() == 'get apps deployments'",
    },
    {
      id: "authorizer_serviceaccount",
      name: "serviceAccount",
      method: `(${types.Authorizer}, string, string) -> ${types.Authorizer}`,
      evaluate: serviceAccount,
      cost: unitCost,
      example: "!authorizer.serviceAccount('default', 'a').path('/healthz').check('get').allowed()",
      failure: ["authorizer.serviceAccount('a.b', 'a').path('/').check('get').allowed()", "Invalid service account namespace"],
    },
    {
      id: "groupcheck_resource",
      name: "resource",
      method: `(${types.Group}, string) -> ${types.Resource}`,
      evaluate: resource,
      cost: unitCost,
      example: `${pods}.check('get').allowed()`,
      failure: ["authorizer.group('').resource('').check('get').allowed()", "resource must not be empty"],
    },
    {
      id: "resourcecheck_subresource",
      name: "subresource",
      method: `(${types.Resource}, string) -> ${types.Resource}`,
      evaluate: setting("subresource"),
      cost: unitCost,
      example: `${pods}.subresource('log').check('get').reason() == 'get  pods/log'`,
    },
    {
      id: "resourcecheck_namespace",
      name: "namespace",
      method: `(${types.Resource}, string) -> ${types.Resource}`,
      evaluate: setting("namespace"),
      cost: unitCost,
      example: `${pods}.namespace('a').check('get').reason() == 'get  pods in a'`,
    },
    {
      id: "resourcecheck_name",
      name: "name",
      method: `(${types.Resource}, string) -> ${types.Resource}`,
      evaluate: setting("name"),
      cost: unitCost,
      example: `${pods}.name('x').check('get').reason() == 'get  pods named x'`,
    },
    {
      id: "pathcheck_check",
      name: "check",
      method: `(${types.Path}, string) -> ${types.Decision}`,
      evaluate: checkPath,
      cost: checkCost,
      example: "authorizer.path('/healthz').check('get').reason() == 'get /healthz'",
    },
    {
      id: "resourcecheck_check",
      name: "check",
      method: `(${types.Resource}, string) -> ${types.Decision}`,
      evaluate: checkResource,
      cost: checkCost,
      example: `${pods}.check('get').allowed()`,
    },
    {
      id: "decision_errored",
      name: "errored",
      method: `(${types.Decision}) -> bool`,
      evaluate: ({ decision }: DecisionValue) => decision.error !== undefined,
      cost: unitCost,
      example: `${pods}.check('fail').errored() && !${pods}.check('get').errored()`,
    },
    {
      id: "decision_error",
      name: "error",
      method: `(${types.Decision}) -> string`,
      evaluate: ({ decision }: DecisionValue) => decision.error ?? "",
      cost: unitCost,
      example: `${pods}.check('fail').error() == 'no answer' && ${pods}.check('get').error() == ''`,
    },
    {
      id: "decision_allowed",
      name: "allowed",
      method: `(${types.Decision}) -> bool`,
      evaluate: ({ decision }: DecisionValue) => decision.allowed,
      cost: unitCost,
      example: `${pods}.check('get').allowed() && !${pods}.check('delete').allowed()`,
    },
    {
      id: "decision_reason",
      name: "reason",
      method: `(${types.Decision}) -> string`,
      evaluate: ({ decision }: DecisionValue) => decision.reason ?? "",
      cost: unitCost,
      example: `${pods}.check('get').reason() == 'get  pods'`,
    },
    {
      id: "authorizer_fieldselector",
      name: "fieldSelector",
      method: `(${types.Resource}, string) -> ${types.Resource}`,
      evaluate: setting("fieldSelector"),
      cost: selectorCostRule,
      example: `${pods}.fieldSelector('spec.nodeName=n').check('list').reason() == 'list  pods where spec.nodeName=n'`,
    },
    {
      id: "authorizer_labelselector",
      name: "labelSelector",
      method: `(${types.Resource}, string) -> ${types.Resource}`,
      evaluate: setting("labelSelector"),
      cost: selectorCostRule,
      example: `${pods}.labelSelector('app=a').check('list').reason() == 'list  pods with app=a'`,
    },
  ]),
}
