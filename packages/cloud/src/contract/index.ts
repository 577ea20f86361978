// The contract suite that defines a cloud provider: a provider of one's own runs it under vitest.
export { providerContract } from "./provider.contract.ts"
export type { ContractFault, InstanceChange, ProviderFixture } from "./testing/fixture.ts"
export { contractNode, contractService } from "./testing/subjects.ts"
