/** The request that was open last, so that the list can take the reader back to its row. */
export const lastOpened: { id: string | null; fromList: boolean } = { id: null, fromList: false };
