import { notFound } from "@pilothouse/api"
import { type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { type AdmissionInputs, RequestAuthorizations } from "@pilothouse/cel/kubernetes"
import { readObject } from "../../registry/object-key.ts"
import type { Resource } from "../../resources/resource.ts"
import { namespaceOf } from "../matching/match-request.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { admissionReview } from "../webhook/admission-review.ts"
import { versionedObjects } from "../webhook/versioned-objects.ts"

type Versioned = Pick<AdmissionInputs, "object" | "oldObject" | "request">

/** The variables of a request that do not depend on the policy: they are made for the first policy that matches. */
export class RequestVariables {
  /** Remembers decisions for all policies of a request. */
  readonly authorizations: RequestAuthorizations
  private readonly attributes: AdmissionAttributes
  private readonly versions = new Map<Resource, Versioned>()
  private namespace: { readonly object: object | null } | undefined

  /** Decisions may come from the variables of an earlier state of the object. */
  constructor(attributes: AdmissionAttributes, authorizations?: RequestAuthorizations) {
    const { server, identity, resource, subresource, name } = attributes
    const { group, plural } = resource.descriptor
    const about = { group, resource: plural, subresource, namespace: namespaceOf(attributes), name }
    this.attributes = attributes
    this.authorizations = authorizations ?? new RequestAuthorizations(server.authorizer, identity, about)
  }

  /** Returns object, oldObject and request in the version that a policy has matched. */
  inVersion(resource: Resource): Versioned {
    const known = this.versions.get(resource)
    if (known) return known
    const made = versionedVariables(this.attributes, resource)
    this.versions.set(resource, made)
    return made
  }

  /** Returns the Namespace of the request, or null for an object of the whole cluster; throws the 404 of one that does not exist. */
  namespaceObject(): object | null {
    this.namespace ??= { object: namespaceObject(this.attributes) }
    return this.namespace.object
  }
}

/** Expressions see what webhooks are sent. */
function versionedVariables(attributes: AdmissionAttributes, resource: Resource): Versioned {
  const review = admissionReview("v1", "", versionedObjects(attributes, resource).review())
  const { object, oldObject, uid: _uid, ...request } = (review as { readonly request: Versioned & { readonly uid: string } }).request
  return { object, oldObject, request }
}

function namespaceObject({ server, resource, namespace = "" }: AdmissionAttributes): object | null {
  const { group, kind } = resource.descriptor
  if (namespace === "" || (group === "" && kind === "Namespace")) return null
  const found: Namespace | undefined = readObject(server.storage, server.registry.of(namespaces), undefined, namespace)
  if (found === undefined) throw notFound(namespaces, namespace)
  return found
}
