import type { Node, NodeAddress } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { CloudError } from "../cloud-errors.ts"
import type { InstanceMetadata } from "../provider.ts"
import { newAddresses } from "./addresses.ts"
import { initialLabels, laterLabels } from "./labels.ts"
import type { Observed } from "./observe.ts"
import { isUninitialized, uninitializedTaint, withoutTaint } from "./uninitialized.ts"

export function decide({ node, instance, nextIn }: Observed): Plan {
  if (isUninitialized(node)) return instance === undefined ? plan().nothing("the cloud says nothing of it yet") : initialize(node, instance)
  const built = plan()
  const labels = laterLabels(node)
  if (Object.keys(labels).length > 0) built.patch(node, { metadata: { labels } }, "labels of one meaning must say the same")
  writeAddresses(built, node, newAddresses(node, instance?.addresses ?? []))
  if (built.steps.length === 0) built.nothing("the node shows what the cloud says of it")
  return built.requeueAfter(nextIn, "its addresses may change in the cloud")
}

/** The taint goes in the same write that says what the node is; the version makes sure that nobody's taint is lost. */
function initialize(node: Node, instance: InstanceMetadata): Plan {
  const { name, resourceVersion } = node.metadata
  const providerID = node.spec?.providerID || instance.providerId
  // It is written here and never later: a node without it would stay one that balancers and volumes cannot find.
  if (!providerID) throw new CloudError(`cloud provider does not set node provider ID for node ${name}`)
  const spec = { taints: withoutTaint(node, uninitializedTaint), ...(node.spec?.providerID ? {} : { providerID }) }
  const addresses = newAddresses(node, instance.addresses)
  const built = plan()
    .patch(node, { metadata: { resourceVersion, labels: initialLabels(node, instance) }, spec }, "the cloud knows its machine")
    .event(node, "Normal", "Synced", "Node synced successfully")
  if (addresses !== undefined) built.nextStep()
  writeAddresses(built, node, addresses)
  return built.requeueAfter(1000, "its addresses are compared from now on")
}

function writeAddresses(built: PlanBuilder, node: Node, addresses: readonly NodeAddress[] | undefined): void {
  if (addresses !== undefined) built.patch(node, { status: { addresses } }, "the cloud says these addresses", { subresource: "status" })
}
