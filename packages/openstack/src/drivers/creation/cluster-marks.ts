/** Marks that name the cluster, and the object in it, that a cloud object belongs to. */
export interface ClusterMarks {
  /** Of the cluster: the UID of its kube-system namespace, which no two clusters share. */
  readonly cluster: string
  /** More tags for load balancers. */
  readonly extra?: readonly string[]
}

const clusterPrefix = "pilothouse:cluster="
const ownerPrefix = "pilothouse:owner="

function clusterTag({ cluster }: ClusterMarks): string {
  return `${clusterPrefix}${cluster}`
}

/** The tags of a load balancer of this owner. */
export function markTags(clusterMarks: ClusterMarks, owner: string): readonly string[] {
  return [clusterTag(clusterMarks), `${ownerPrefix}${owner}`, ...(clusterMarks.extra ?? [])]
}

/**
 * The same as a description, for ports and floating IPs: Neutron takes tags only after it has made them, in a call for each, and a crash may come
 * in between; a description is there from the first moment. Without an owner: a spare one.
 */
export function markDescription(clusterMarks: ClusterMarks, owner?: string): string {
  return owner === undefined ? clusterTag(clusterMarks) : `${clusterTag(clusterMarks)} ${ownerPrefix}${owner}`
}

/** Returns the description with the marks of the owner added to the text that it has already. */
export function withMark(before: string | null | undefined, clusterMarks: ClusterMarks, owner: string): string {
  const description = before ?? ""
  const said = description.split(" ")
  const missing = markDescription(clusterMarks, owner)
    .split(" ")
    .filter((word) => !said.includes(word))
  return [description, ...missing].filter((words) => words !== "").join(" ")
}

/** What a cloud object says of itself. */
export interface Marked {
  readonly tags?: readonly string[]
  readonly description?: string
}

/** Some services answer null where there is nothing. */
function words({ tags, description }: Marked): readonly string[] {
  return [...(tags ?? []), ...(description ?? "").split(" ")]
}

export function isOfCluster(marked: Marked, clusterMarks: ClusterMarks): boolean {
  return words(marked).includes(clusterTag(clusterMarks))
}

/** It says of which cluster it is, and it is not this one. */
export function isOfOtherCluster(marked: Marked, clusterMarks: ClusterMarks): boolean {
  return !isOfCluster(marked, clusterMarks) && words(marked).some((word) => word.startsWith(clusterPrefix))
}

export function markedOwner(marked: Marked): string | undefined {
  return words(marked)
    .find((word) => word.startsWith(ownerPrefix))
    ?.slice(ownerPrefix.length)
}
