// The contract suites that define the seams: an implementation of one's own runs the suite of its seam under vitest.
export { type ClockUnderTest, clockContract } from "../clock/clock.contract.ts"
export { type FilesUnderTest, filesContract } from "../files/files.contract.ts"
export { randomContract } from "../random/random.contract.ts"
export { carrierContract, echoServer, type TransportUnderTest, transportContract } from "../transport/transport.contract.ts"
