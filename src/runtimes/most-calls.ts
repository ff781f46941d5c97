/** Tool calls in one turn, on whatever runtime. */
export const mostCalls = 100;
