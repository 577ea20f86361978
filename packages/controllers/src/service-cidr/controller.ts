import { deepEqual } from "@pilothouse/api"
import { type Service, services } from "@pilothouse/api/core/v1"
import { serviceCIDRs } from "@pilothouse/api/networking/v1"
import { type Change, type Controller, controller, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { decide, settle } from "./decide.ts"
import { deletingRangesOf, deletingRangesWith, observe } from "./observe.ts"

export const serviceCidrDescriptor = descriptor({ name: "service-cidr-controller", create: () => serviceCidrController() })

/** Milliseconds. An API server deletes the address of a Service shortly after the Service. */
const releaseDelay = 1000

/**
 * Keeps a finalizer and the condition Ready on every ServiceCIDR, so that a range of which Services have addresses is not deleted under them.
 * Watches ServiceCIDRs and, for those that are deleted, Services. A deleted one goes once another range has all of its addresses or no Service has one
 * that only this range has, and ten seconds have passed, in which API servers notice and give out no more of them.
 * Addresses are listed from the API server for a deleted ServiceCIDR only: a cluster of 10,000 Services needs no cache of 10,000 IPAddresses.
 */
export function serviceCidrController(): Controller {
  return controller("service-cidr-controller", {
    for: serviceCIDRs,
    fieldManager: "service-cidr-controller",
    watches: [
      watch(serviceCIDRs, "another range came or went", deletingRangesWith, { predicate: ({ type }) => type !== "resync" }),
      watch(services, "a Service gave its address back", deletingRangesOf, { predicate: releases, delay: releaseDelay }),
    ],
    observe,
    decide,
    settle,
  })
}

function releases(change: Change<Service>): boolean {
  if (change.type !== "updated") return change.type === "deleted"
  return !deepEqual(change.old.spec?.clusterIPs, change.object.spec?.clusterIPs)
}
